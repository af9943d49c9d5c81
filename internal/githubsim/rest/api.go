// Package rest implements the REST API: a table of routes, and a function for each that decodes the request, calls the
// hub, and renders the answer.
package rest

import (
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/contract"
	"waybill/internal/githubsim/hooks"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
	"waybill/internal/githubsim/wire"
)

// API is the REST API.
type API struct {
	Setup
	routes      []route
	mostEntries int // the limit of a recursive list of a tree
	requests    int64
	// TagTokens makes ETags depend on the token. The hub's lock guards it.
	TagTokens bool
}

// Setup has the parts of the simulator that the REST API uses.
type Setup struct {
	Hub      *hub.Hub
	Render   *render.Renderer
	Tokens   *access.Tokens
	Limits   *access.Limits
	Codes    *access.Codes
	Courier  *hooks.Courier
	Contract *contract.Contract // nil: answers have only the fields of the state
	Report   func(error)
	Secrets  Secrets
}

// Secrets are the secrets of the App under test, which the manifest flow returns.
type Secrets struct{ ClientID, ClientSecret, Webhook, PEM string }

// New returns the REST API.
func New(s Setup) *API {
	return &API{Setup: s, routes: routeTable(), mostEntries: mostEntries}
}

// Template returns the route of a request in the notation of GitHub's description, or "" if it is unknown.
func (a *API) Template(r *http.Request) string {
	matched, _, _ := match(a.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	return matched.template
}

// ServeHTTP executes one request under the lock.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := wire.ReadBody(w, r)
	if err != nil {
		return
	}
	wire.Write(w, r, a.answer(r, raw))
}

func (a *API) answer(r *http.Request, raw []byte) reply {
	matched, params, found := match(a.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	if !found {
		a.Report(fmt.Errorf("unknown route %s %s", r.Method, r.URL.Path))
		return reply{
			Status: http.StatusNotImplemented, Body: obj{"message": "githubsim has no route " + r.Method + " " + r.URL.Path},
		}
	}
	defer a.Hub.Request()()
	c := &call{Hub: a.Hub, Render: a.Render, api: a, request: r, raw: raw, params: params}
	out, err := a.serve(c, matched)
	if err != nil {
		e := hub.AsRefusal(err)
		if e.Status == http.StatusInternalServerError {
			a.Report(fmt.Errorf("serve %s %s: %w", r.Method, r.URL.Path, err))
		}
		out = reply{Status: e.Status, Body: e.JSON(), Header: out.Header}
	}
	return a.finish(c, matched, out)
}

// serve makes its checks in GitHub's order: credentials, limits, permissions, and then the request itself.
func (a *API) serve(c *call, r route) (reply, error) {
	who, err := a.Tokens.Authenticate(c.request)
	if err != nil {
		return reply{}, err
	}
	c.who = who
	if err := r.admit(who); err != nil {
		return reply{}, err
	}
	if err := a.Limits.Spend(who, access.Core); err != nil {
		return reply{}, err
	}
	if _, named := c.params["repo"]; named {
		if c.repo, err = a.repository(c, r); err != nil {
			return reply{}, err
		}
		if asked := c.params["owner"] + "/" + c.params["repo"]; wire.Moved(c.request) ||
			!strings.EqualFold(asked, c.repo.FullName()) {
			return a.redirect(c, asked)
		}
	} else if who.Kind == hub.AsInstallation && len(r.needs) > 0 && !access.Allowed(who.Grant.Permissions, r.needs) {
		return reply{}, hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return r.serve(c)
}

// redirect sends whoever uses a name that a repository had before to its id.
func (a *API) redirect(c *call, asked string) (reply, error) {
	status, message := http.StatusTemporaryRedirect, "Temporary Redirect"
	if c.request.Method == http.MethodGet || c.request.Method == http.MethodHead {
		status, message = http.StatusMovedPermanently, "Moved Permanently"
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(c.request.URL.RequestURI(), "/api/v3/repos/"), "/")
	rest = strings.TrimPrefix(rest, asked[strings.IndexByte(asked, '/')+1:])
	at := fmt.Sprintf("%s/api/v3/repositories/%d%s", a.Render.URL, c.repo.ID, rest)
	header := http.Header{"Location": {at}}
	body := obj{"message": message, "url": at, "documentation_url": "https://docs.github.com/rest/guides/" +
		"best-practices-for-using-the-rest-api#follow-redirects"}
	return reply{Status: status, Header: header, Body: body}, nil
}

// repository finds the repository that a route names, if the caller may use the route with it.
func (a *API) repository(c *call, r route) (*hub.Repository, error) {
	repo, found := a.Hub.Repos.Find(c.params["owner"] + "/" + c.params["repo"])
	if !found {
		return nil, hub.NotFound()
	}
	if r.caller == hub.AsApp {
		return repo, nil
	}
	return repo, access.Authorize(c.who, repo, r.needs)
}

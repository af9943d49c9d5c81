package githubsim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/contract"
)

// API is the REST API.
type API struct {
	APISetup
	routes      []route
	mostEntries int // of a recursive list of a tree
	requests    int64
}

// APISetup is what the REST API needs.
type APISetup struct {
	Hub      *Hub
	Render   *Render
	Tokens   *Tokens
	Limits   *Limits
	Codes    *Codes
	Courier  *Courier
	Contract *contract.Contract // nil: answers are left as sparse as the state is
	Report   func(error)
	Secrets  Secrets
}

// Secrets are those of the App under test, which the manifest flow hands out.
type Secrets struct{ ClientID, ClientSecret, Webhook, PEM string }

// NewAPI serves REST.
func NewAPI(s APISetup) *API {
	return &API{APISetup: s, routes: routeTable(), mostEntries: mostEntries}
}

// Template is the route of a request as GitHub's description writes it; empty when it is unknown.
func (a *API) Template(r *http.Request) string {
	matched, _, _ := match(a.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	return matched.template
}

// ServeHTTP carries out one request under the lock.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	if err != nil {
		return
	}
	write(w, r, a.answer(r, raw))
}

func (a *API) answer(r *http.Request, raw []byte) reply {
	matched, params, found := match(a.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	if !found {
		a.Report(fmt.Errorf("unknown route %s %s", r.Method, r.URL.Path))
		return reply{status: http.StatusNotImplemented, body: obj{"message": "githubsim has no route " + r.Method + " " + r.URL.Path}}
	}
	a.Hub.Lock()
	defer a.Hub.Unlock()
	c := &call{Hub: a.Hub, Render: a.Render, api: a, request: r, raw: raw, params: params}
	out, err := a.serve(c, matched)
	if err != nil {
		e := asAPIError(err)
		if e.status == http.StatusInternalServerError {
			a.Report(fmt.Errorf("serve %s %s: %w", r.Method, r.URL.Path, err))
		}
		out = reply{status: e.status, body: e.json(), header: out.header}
	}
	return a.finish(c, matched, out)
}

// nextRequest numbers the requests, for X-GitHub-Request-Id.
func (a *API) nextRequest() int64 {
	a.requests++
	return a.requests
}

// serve asks in the order GitHub does: who are you, how much have you asked already, may you, and only then what.
func (a *API) serve(c *call, r route) (reply, error) {
	who, err := a.Tokens.Authenticate(c.request)
	if err != nil {
		return reply{}, err
	}
	c.who = who
	if err := r.admit(who); err != nil {
		return reply{}, err
	}
	if err := a.Limits.Spend(who, resourceCore); err != nil {
		return reply{}, err
	}
	if _, named := c.params["repo"]; named {
		repo, found := a.Hub.Repos.Find(c.params["owner"] + "/" + c.params["repo"])
		if !found {
			return reply{}, notFound()
		}
		c.repo = repo
		if r.caller != asApp {
			if err := authorize(who, repo, r.needs); err != nil {
				return reply{}, err
			}
		}
	} else if who.kind == asInstallation && len(r.needs) > 0 && !allowed(who.grant.permissions, r.needs) {
		return reply{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return r.serve(c)
}

// finish completes an answer to what GitHub's description requires and adds the headers that every answer carries.
func (a *API) finish(c *call, r route, out reply) reply {
	if out.header == nil {
		out.header = http.Header{}
	}
	if a.Contract != nil && out.status < 300 && out.body != nil {
		filled, err := a.fill(r, out)
		if err != nil {
			a.Report(fmt.Errorf("complete %s %s: %w", r.method, r.template, err))
		} else {
			out.body = filled
		}
	}
	encoded, err := encode(out.body)
	if err != nil {
		a.Report(fmt.Errorf("encode %s %s: %w", r.method, r.template, err))
	}
	out.body = encoded
	out.header.Set("Date", a.Hub.Clock.Now().Format(http.TimeFormat))
	out.header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	out.header.Set("X-GitHub-Request-Id", fmt.Sprintf("SIM0:%X", a.nextRequest()))
	if c.request.Method == http.MethodGet && out.status == http.StatusOK {
		tag(c.request, &out, encoded)
	}
	if out.status == http.StatusNotModified {
		a.Limits.Refund(c.who, resourceCore)
	}
	a.Limits.Headers(c.who, resourceCore, out.header)
	return out
}

// tag adds the ETag and turns an unchanged answer into a 304.
func tag(r *http.Request, out *reply, encoded []byte) {
	sum := sha256.Sum256(encoded)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	out.header.Set("ETag", etag)
	out.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
	if r.Header.Get("If-None-Match") == etag {
		out.status, out.body = http.StatusNotModified, []byte(nil)
	}
}

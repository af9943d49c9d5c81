package rest

import (
	"crypto/sha256"
	"encoding/hex"
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
	mostEntries int // of a recursive list of a tree
	requests    int64
}

// APISetup is what the REST API needs.
type Setup struct {
	Hub      *hub.Hub
	Render   *render.Renderer
	Tokens   *access.Tokens
	Limits   *access.Limits
	Codes    *access.Codes
	Courier  *hooks.Courier
	Contract *contract.Contract // nil: answers are left as sparse as the state is
	Report   func(error)
	Secrets  Secrets
}

// Secrets are those of the App under test, which the manifest flow hands out.
type Secrets struct{ ClientID, ClientSecret, Webhook, PEM string }

// NewAPI serves REST.
func New(s Setup) *API {
	return &API{Setup: s, routes: routeTable(), mostEntries: mostEntries}
}

// Template is the route of a request as GitHub's description writes it; empty when it is unknown.
func (a *API) Template(r *http.Request) string {
	matched, _, _ := match(a.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	return matched.template
}

// ServeHTTP carries out one request under the lock.
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
		return reply{Status: http.StatusNotImplemented, Body: obj{"message": "githubsim has no route " + r.Method + " " + r.URL.Path}}
	}
	a.Hub.Lock()
	defer a.Hub.Unlock()
	c := &call{Hub: a.Hub, Render: a.Render, api: a, request: r, raw: raw, params: params}
	out, err := a.serve(c, matched)
	if err != nil {
		e := hub.AsRefusal(err)
		if e.Status == http.StatusInternalServerError {
			a.Report(fmt.Errorf("serve %s %s: %w", r.Method, r.URL.Path, err))
		}
		out = reply{Status: e.Status, Body: e.Json(), Header: out.Header}
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
	if err := a.Limits.Spend(who, access.Core); err != nil {
		return reply{}, err
	}
	if _, named := c.params["repo"]; named {
		repo, found := a.Hub.Repos.Find(c.params["owner"] + "/" + c.params["repo"])
		if !found {
			return reply{}, hub.NotFound()
		}
		c.repo = repo
		if r.caller != hub.AsApp {
			if err := access.Authorize(who, repo, r.needs); err != nil {
				return reply{}, err
			}
		}
	} else if who.Kind == hub.AsInstallation && len(r.needs) > 0 && !access.Allowed(who.Grant.Permissions, r.needs) {
		return reply{}, hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return r.serve(c)
}

// finish completes an answer to what GitHub's description requires and adds the headers that every answer carries.
func (a *API) finish(c *call, r route, out reply) reply {
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if a.Contract != nil && out.Status < 300 && out.Body != nil {
		filled, err := a.fill(r, out)
		if err != nil {
			a.Report(fmt.Errorf("complete %s %s: %w", r.method, r.template, err))
		} else {
			out.Body = filled
		}
	}
	encoded, err := wire.Encode(out.Body)
	if err != nil {
		a.Report(fmt.Errorf("encode %s %s: %w", r.method, r.template, err))
	}
	out.Body = encoded
	out.Header.Set("Date", a.Hub.Clock.Now().Format(http.TimeFormat))
	out.Header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	out.Header.Set("X-GitHub-Request-Id", fmt.Sprintf("SIM0:%X", a.nextRequest()))
	if c.request.Method == http.MethodGet && out.Status == http.StatusOK {
		tag(c.request, &out, encoded)
	}
	if out.Status == http.StatusNotModified {
		a.Limits.Refund(c.who, access.Core)
	}
	a.Limits.Headers(c.who, access.Core, out.Header)
	return out
}

// tag adds the ETag and turns an unchanged answer into a 304.
func tag(r *http.Request, out *reply, encoded []byte) {
	sum := sha256.Sum256(encoded)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	out.Header.Set("ETag", etag)
	out.Header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.Header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
	if r.Header.Get("If-None-Match") == etag {
		out.Status, out.Body = http.StatusNotModified, []byte(nil)
	}
}

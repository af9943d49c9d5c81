package rest

import (
	"net/http"
	"net/url"
	"strings"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/hub"
)

// route is one operation of the REST API.
type route struct {
	method   string
	template string        // as in GitHub's description: /repos/{owner}/{repo}/pulls
	parts    []string      // of template
	caller   string        // kind of caller: asApp, asInstallation (or a user), asNobody (anyone)
	needs    []access.Need // on the repository, if the template names one
	serve    func(*call) (reply, error)
}

// spans are the parameters that may contain slashes.
var spans = map[string]bool{"{path}": true, "{ref}": true, "{branch}": true, "{basehead}": true}

// match finds the route of a request; params are unescaped.
func match(routes []route, method, escapedPath string) (route, map[string]string, bool) {
	parts := strings.Split(strings.Trim(escapedPath, "/"), "/")
	for i, part := range parts {
		if text, err := url.PathUnescape(part); err == nil {
			parts[i] = text
		}
	}
	for _, r := range routes {
		if r.method != method {
			continue
		}
		params := map[string]string{}
		if matchParts(r.parts, parts, params) {
			return r, params, true
		}
	}
	return route{}, nil, false
}

func matchParts(template, parts []string, params map[string]string) bool {
	if len(template) == 0 {
		return len(parts) == 0
	}
	head := template[0]
	if len(parts) == 0 {
		return false
	}
	if !strings.HasPrefix(head, "{") {
		return head == parts[0] && matchParts(template[1:], parts[1:], params)
	}
	longest := 1
	if spans[head] {
		longest = len(parts) - (len(template) - 1)
	}
	for n := longest; n >= 1; n-- {
		if matchParts(template[1:], parts[n:], params) {
			params[strings.Trim(head, "{}")] = strings.Join(parts[:n], "/")
			return true
		}
	}
	return false
}

// table collects routes. Its methods are named after the kind of caller.
type table struct{ routes []route }

func (t *table) add(caller, operation, permissions string, serve func(*call) (reply, error)) {
	method, template, _ := strings.Cut(operation, " ")
	r := route{
		method: method, template: template, parts: strings.Split(strings.Trim(template, "/"), "/"), caller: caller,
		serve: serve,
	}
	if permissions != "" {
		r.needs = access.Needs(permissions)
	}
	t.routes = append(t.routes, r)
}

// app adds an operation for the App itself, with a JWT.
func (t *table) app(operation string, serve func(*call) (reply, error)) {
	t.add(hub.AsApp, operation, "", serve)
}

// with adds an operation for tokens that have one of the permissions ("pull_requests:read|contents:read").
func (t *table) with(permissions, operation string, serve func(*call) (reply, error)) {
	t.add(hub.AsInstallation, operation, permissions, serve)
}

// open adds an operation for all callers.
func (t *table) open(operation string, serve func(*call) (reply, error)) {
	t.add(hub.AsNobody, operation, "", serve)
}

// admit checks that the caller is of the route's kind.
func (r route) admit(who hub.Caller) error {
	switch {
	case r.caller == hub.AsNobody:
		return nil
	case r.caller == hub.AsApp && who.Kind != hub.AsApp:
		return hub.Refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	case r.caller == hub.AsInstallation && who.Kind == hub.AsNobody &&
		(r.method != http.MethodGet || !strings.HasPrefix(r.template, "/repos/")):
		return hub.Refuse(http.StatusUnauthorized, "Requires authentication")
	}
	return nil
}

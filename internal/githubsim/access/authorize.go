package access

import "waybill/internal/githubsim/hub"

import (
	"net/http"
	"strings"
)

// Authorize checks that a caller may use a route with a repository. It answers 404 if the caller may not see the
// repository, and 403 if the caller may see it but has no permission for the route.
func Authorize(who hub.Caller, r *hub.Repository, needs []Need) error {
	switch who.Kind {
	case hub.AsApp:
		return hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	case hub.AsInstallation:
		return authorizeInstallation(who.Grant, r, needs)
	case hub.AsUser:
		return authorizeUser(who.Account, r, needs)
	}
	if r.Private {
		return hub.NotFound()
	}
	if writes(needs) {
		return hub.Refuse(http.StatusUnauthorized, "Requires authentication")
	}
	return nil
}

func authorizeInstallation(g *hub.Grant, r *hub.Repository, needs []Need) error {
	if !g.Covers(r) {
		if r.Private {
			return hub.NotFound()
		}
		if writes(needs) {
			return hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return nil
	}
	if !Allowed(g.Permissions, needs) {
		return hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	if r.Archived && writes(needs) {
		return hub.Refuse(http.StatusForbidden, "Repository was archived so is read-only.")
	}
	return nil
}

func authorizeUser(a *hub.Account, r *hub.Repository, needs []Need) error {
	level := r.Level(a)
	if level == "none" {
		return hub.NotFound()
	}
	if writes(needs) && hub.LevelRank(level) < hub.LevelRank("write") {
		return hub.Refuse(http.StatusForbidden, "Must have push access to repository")
	}
	return nil
}

// Need is a permission for a route; of several, one is enough.
type Need struct{ name, level string }

// Needs parses "contents:write|pull_requests:write".
func Needs(text string) []Need {
	var all []Need
	for _, one := range strings.Split(text, "|") {
		name, level, _ := strings.Cut(one, ":")
		all = append(all, Need{name, level})
	}
	return all
}

// Allowed reports whether permissions include one of several needs.
func Allowed(permissions map[string]string, needs []Need) bool {
	for _, n := range needs {
		if n.name == "metadata" || hub.May(permissions, n.name, n.level) {
			return true
		}
	}
	return false
}

func writes(needs []Need) bool {
	for _, n := range needs {
		if n.level == "write" {
			return true
		}
	}
	return false
}

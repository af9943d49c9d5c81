package githubsim

import (
	"net/http"
	"strings"
)

// authorize checks that a caller may use a route with a repository: it answers 404 for what the caller may not know of and 403 for
// what it may see but not do.
func authorize(who caller, r *repository, needs []need) error {
	switch who.kind {
	case asApp:
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	case asInstallation:
		return authorizeInstallation(who.grant, r, needs)
	case asUser:
		return authorizeUser(who.account, r, needs)
	}
	if r.private {
		return notFound()
	}
	if writes(needs) {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	return nil
}

func authorizeInstallation(g *grant, r *repository, needs []need) error {
	if !g.covers(r) {
		if r.private {
			return notFound()
		}
		if writes(needs) {
			return refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return nil
	}
	if !allowed(g.permissions, needs) {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	if r.archived && writes(needs) {
		return refuse(http.StatusForbidden, "Repository was archived so is read-only.")
	}
	return nil
}

func authorizeUser(a *account, r *repository, needs []need) error {
	level := r.level(a)
	if level == "none" {
		return notFound()
	}
	if writes(needs) && levelRank(level) < levelRank("write") {
		return refuse(http.StatusForbidden, "Must have push access to repository")
	}
	return nil
}

// need is one permission that opens a route; of several, any one does.
type need struct{ name, level string }

// needs reads "contents:write|pull_requests:write".
func needs(text string) []need {
	var all []need
	for _, one := range strings.Split(text, "|") {
		name, level, _ := strings.Cut(one, ":")
		all = append(all, need{name, level})
	}
	return all
}

func allowed(permissions map[string]string, needs []need) bool {
	for _, n := range needs {
		if n.name == "metadata" || may(permissions, n.name, n.level) {
			return true
		}
	}
	return false
}

func writes(needs []need) bool {
	for _, n := range needs {
		if n.level == "write" {
			return true
		}
	}
	return false
}

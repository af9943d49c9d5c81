package gh

import (
	"slices"
	"strings"
)

// routes are the kinds of things in a repository that requests are about. They bound how many classes of requests there
// are: no name and no number is part of a class.
var routes = []string{
	"actions", "branches", "check-runs", "check-suites", "collaborators", "commits", "compare", "contents", "deployments",
	"environments", "git", "installation", "issues", "pulls", "releases", "rules", "statuses", "tags",
}

// Route returns the class of a request, for metrics: its method, and what it is about.
func (c Call) Route() string {
	path := strings.TrimPrefix(strings.TrimPrefix(c.Path, "/api"), "/v3")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch about := parts[0]; {
	case about == "graphql":
		return about
	case about == "repos" && len(parts) <= 3:
		return c.Method + " repos"
	case about == "repos" && slices.Contains(routes, parts[3]):
		return c.Method + " repos/" + parts[3]
	case about == "app" && len(parts) > 2 && parts[len(parts)-1] == "access_tokens":
		return c.Method + " app/access_tokens"
	case slices.Contains([]string{"app", "installation", "orgs", "users", "user", "login"}, about):
		return c.Method + " " + about
	}
	return c.Method + " other"
}

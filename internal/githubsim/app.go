package githubsim

import (
	"strings"
	"time"
)

// app is a GitHub App: the one under test, or another that writes checks (github-actions).
type app struct {
	id          int64
	slug        string
	bot         *account
	permissions map[string]string
	created     time.Time
}

// clientID is the other name of an App, by which it signs in people and may sign its JWTs.
func (a *app) clientID() string { return "Iv1." + a.slug }

// installation is the App under test in one account.
type installation struct {
	id        int64
	account   *account
	all       bool // every repository of the account
	repos     map[int64]bool
	created   time.Time
	suspended time.Time
}

// appNamed finds an App by slug, or registers it together with its bot.
func (w *world) appNamed(slug string) *app {
	if a, ok := w.apps[slug]; ok {
		return a
	}
	a := &app{id: w.nextID(), slug: slug, bot: w.newAccount(slug+"[bot]", kindBot), created: w.now()}
	w.apps[slug] = a
	return a
}

// covers reports whether the installation reaches a repository.
func (i *installation) covers(r *repository) bool {
	return i.account == r.owner && (i.all || i.repos[r.id])
}

// installationOf finds the installation that reaches a repository.
func (w *world) installationOf(r *repository) (*installation, bool) {
	for _, i := range w.installs {
		if i.covers(r) {
			return i, true
		}
	}
	return nil, false
}

// installationFor finds the installation of an account.
func (w *world) installationFor(a *account) (*installation, bool) {
	for _, i := range w.installs {
		if i.account == a {
			return i, true
		}
	}
	return nil, false
}

// reposOf lists the repositories an installation reaches, oldest first.
func (w *world) reposOf(i *installation) []*repository {
	var reached []*repository
	for _, r := range w.sortedRepos() {
		if i.covers(r) {
			reached = append(reached, r)
		}
	}
	return reached
}

// may reports whether a set of permissions includes "read" or "write" of one.
func may(permissions map[string]string, name, level string) bool {
	have := permissions[name]
	return have == "write" || have == "admin" || have == level
}

// sees reports whether the App under test receives an event, by the permission that GitHub ties it to.
func (a *app) sees(event string) bool {
	name, ok := map[string]string{
		"push": "contents", "create": "contents", "delete": "contents", "release": "contents", "repository_dispatch": "contents",
		"pull_request": "pull_requests", "pull_request_review": "pull_requests", "pull_request_review_comment": "pull_requests",
		"issue_comment": "issues", "label": "issues", "check_run": "checks", "check_suite": "checks",
		"status": "statuses", "deployment": "deployments", "deployment_status": "deployments", "workflow_run": "actions", "deployment_protection_rule": "deployments",
		"member": "members", "membership": "members", "team": "members", "organization": "members", "merge_group": "merge_queues",
		"registry_package": "packages",
	}[event]
	if !ok {
		return event != "issues" && event != "package" // a promotion bot does not subscribe to issues, and no App can to package; the rest needs metadata only
	}
	if event == "issue_comment" || event == "label" {
		return may(a.permissions, "issues", "read") || may(a.permissions, "pull_requests", "read")
	}
	return may(a.permissions, name, "read")
}

func (w *world) appJSON(a *app) obj {
	permissions := obj{}
	for name, level := range a.permissions {
		if name != "merge_queues" { // which GitHub's own description of an App does not know
			permissions[name] = level
		}
	}
	return obj{
		"id": a.id, "slug": a.slug, "node_id": nodeID("A", a.id), "name": a.slug, "client_id": a.clientID(), "description": "",
		"owner": w.accountJSON(a.bot), "external_url": w.url, "html_url": w.url + "/apps/" + a.slug,
		"created_at": stamp(a.created), "updated_at": stamp(a.created), "permissions": permissions, "events": subscribed(a),
	}
}

// subscribed lists the events the App asked for; the ones every App gets (installation) are not among them.
// Neither are merge_group and deployment_protection_rule, which GitHub's own description does not know everywhere where an App is shown.
func subscribed(a *app) []string {
	events := []string{}
	for _, event := range []string{
		"check_run", "check_suite", "create", "delete", "deployment", "deployment_status", "issue_comment", "label", "member", "membership", "organization",
		"pull_request", "pull_request_review", "push", "registry_package", "release", "repository", "repository_dispatch", "status", "team", "workflow_run",
	} {
		if a.sees(event) {
			events = append(events, event)
		}
	}
	return events
}

func (w *world) installationJSON(i *installation) obj {
	selection := "selected"
	if i.all {
		selection = "all"
	}
	app := w.appJSON(w.app)
	return obj{
		"id": i.id, "account": w.accountJSON(i.account), "repository_selection": selection, "app_id": w.app.id, "app_slug": w.app.slug,
		"target_id": i.account.id, "target_type": i.account.kind, "permissions": app["permissions"], "events": app["events"],
		"created_at": stamp(i.created), "updated_at": stamp(i.created), "suspended_at": stamp(i.suspended), "suspended_by": nil,
		"single_file_name": nil, "access_tokens_url": w.url + "/api/v3/app/installations/" + itoa(i.id) + "/access_tokens",
		"html_url":         w.url + "/organizations/" + i.account.login + "/settings/installations/" + itoa(i.id),
		"repositories_url": w.url + "/api/v3/installation/repositories",
	}
}

// shortRepoJSON is how installation events list repositories.
func shortRepoJSON(r *repository) obj {
	return obj{"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private}
}

func sameLogin(a, b string) bool { return strings.EqualFold(a, b) }

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

// Apps are the GitHub Apps, and the installations of the one under test.
type Apps struct {
	clock    *Clock
	accounts *Accounts
	tell     func(Event)
	Own      *app            // the App under test
	bySlug   map[string]*app // and the others
	installs []*installation
}

// Named finds an App by slug, or registers it together with its bot.
func (ps *Apps) Named(slug string) *app {
	if a, ok := ps.bySlug[slug]; ok {
		return a
	}
	a := &app{id: ps.clock.NextID(), slug: slug, bot: ps.accounts.New(slug+"[bot]", kindBot), created: ps.clock.Now()}
	ps.bySlug[slug] = a
	return a
}

// covers reports whether the installation reaches a repository.
func (i *installation) covers(r *repository) bool {
	return i.account == r.owner && (i.all || i.repos[r.id])
}

// InstallationOf finds the installation that reaches a repository.
func (ps *Apps) InstallationOf(r *repository) (*installation, bool) {
	for _, i := range ps.installs {
		if i.covers(r) {
			return i, true
		}
	}
	return nil, false
}

// Installations lists where the App under test is installed.
func (ps *Apps) Installations() []*installation { return ps.installs }

// Find finds an App by slug.
func (ps *Apps) Find(slug string) (*app, bool) {
	a, found := ps.bySlug[slug]
	return a, found
}

// InstallationFor finds the installation of an account.
func (ps *Apps) InstallationFor(a *account) (*installation, bool) {
	for _, i := range ps.installs {
		if i.account == a {
			return i, true
		}
	}
	return nil, false
}

// Installed reports whether an installation still is one.
func (ps *Apps) Installed(i *installation) bool {
	for _, one := range ps.installs {
		if one == i {
			return true
		}
	}
	return false
}

// ReachedBy lists the repositories an installation reaches, oldest first.
func (rs *Repos) ReachedBy(i *installation) []*repository {
	var reached []*repository
	for _, r := range rs.Sorted() {
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

func (v *Render) App(a *app) obj {
	permissions := obj{}
	for name, level := range a.permissions {
		if name != "merge_queues" { // which GitHub's own description of an App does not know
			permissions[name] = level
		}
	}
	return obj{
		"id": a.id, "slug": a.slug, "node_id": nodeID("A", a.id), "name": a.slug, "client_id": a.clientID(), "description": "",
		"owner": v.Account(a.bot), "external_url": v.URL, "html_url": v.URL + "/apps/" + a.slug,
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

func (v *Render) Installation(i *installation) obj {
	selection := "selected"
	if i.all {
		selection = "all"
	}
	app := v.App(v.hub.Apps.Own)
	return obj{
		"id": i.id, "account": v.Account(i.account), "repository_selection": selection, "app_id": v.hub.Apps.Own.id, "app_slug": v.hub.Apps.Own.slug,
		"target_id": i.account.id, "target_type": i.account.kind, "permissions": app["permissions"], "events": app["events"],
		"created_at": stamp(i.created), "updated_at": stamp(i.created), "suspended_at": stamp(i.suspended), "suspended_by": nil,
		"single_file_name": nil, "access_tokens_url": v.URL + "/api/v3/app/installations/" + itoa(i.id) + "/access_tokens",
		"html_url":         v.URL + "/organizations/" + i.account.login + "/settings/installations/" + itoa(i.id),
		"repositories_url": v.URL + "/api/v3/installation/repositories",
	}
}

func sameLogin(a, b string) bool { return strings.EqualFold(a, b) }

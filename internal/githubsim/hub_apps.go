package githubsim

import (
	"strconv"
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

// covers reports whether the installation reaches a repository.
func (i *installation) covers(r *repository) bool {
	return i.account == r.owner && (i.all || i.repos[r.id])
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

// issued reports whether an iss claim names the App: by its id, as text or number, or by its client id.
func (a *app) issued(iss any) bool {
	switch by := iss.(type) {
	case string:
		return by == strconv.FormatInt(a.id, 10) || by == a.clientID()
	case float64:
		return int64(by) == a.id
	}
	return false
}

// Install puts the App under test into an account, for the given repositories or all of them.
func (ps *Apps) Install(a *account, repos []*repository, who *account) *installation {
	i := &installation{id: ps.clock.NextID(), account: a, all: len(repos) == 0, repos: map[int64]bool{}, created: ps.clock.Now()}
	for _, r := range repos {
		i.repos[r.id] = true
	}
	ps.installs = append(ps.installs, i)
	ps.announce(i, "installation", "created", who, i, Fields{"requester": nil})
	return i
}

// Uninstall takes the App out of an account.
func (ps *Apps) Uninstall(i *installation, who *account) {
	var kept []*installation
	for _, one := range ps.installs {
		if one != i {
			kept = append(kept, one)
		}
	}
	ps.installs = kept
	ps.announce(i, "installation", "deleted", who, i, Fields{"requester": nil})
}

// Suspend suspends an installation.
func (ps *Apps) Suspend(i *installation, who *account) {
	i.suspended = ps.clock.Now()
	ps.announce(i, "installation", "suspend", who, i, nil)
}

// Unsuspend ends what Suspend has begun.
func (ps *Apps) Unsuspend(i *installation, who *account) {
	i.suspended = time.Time{}
	ps.announce(i, "installation", "unsuspend", who, i, nil)
}

// Reach adds a repository to an installation that has selected ones, or takes it away.
func (ps *Apps) Reach(i *installation, r *repository, add bool, who *account) {
	if i.all || i.repos[r.id] == add {
		return
	}
	action := "added"
	if add {
		i.repos[r.id] = true
	} else {
		delete(i.repos, r.id)
		action = "removed"
	}
	ps.announce(i, "installation_repositories", action, who, Reach{r, add}, nil)
}

// announce sends an event of an installation.
func (ps *Apps) announce(install *installation, name, action string, sender *account, subject any, with Fields) {
	ps.tell(Event{Name: name, Action: action, Install: install, Sender: sender, Subject: subject, With: with})
}

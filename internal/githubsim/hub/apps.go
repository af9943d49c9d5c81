package hub

import (
	"strconv"
	"time"
)

// App is a GitHub App: the one under test, or another that writes checks (github-actions).
type App struct {
	ID          int64
	Slug        string
	Bot         *Account
	Permissions map[string]string
	Created     time.Time
}

// ClientID is the other name of an App, by which it signs in people and may sign its JWTs.
func (a *App) ClientID() string { return "Iv1." + a.Slug }

// Installation is the App under test in one account.
type Installation struct {
	ID        int64
	Account   *Account
	All       bool // every repository of the account
	repos     map[int64]bool
	Created   time.Time
	Suspended time.Time
}

// covers reports whether the installation reaches a repository.
func (i *Installation) covers(r *Repository) bool {
	return i.Account == r.Owner && (i.All || i.repos[r.ID])
}

// Apps are the GitHub Apps, and the installations of the one under test.
type Apps struct {
	clock    *Clock
	accounts *Accounts
	tell     func(Event)
	Own      *App            // the App under test
	bySlug   map[string]*App // and the others
	installs []*Installation
}

// Named finds an App by slug, or registers it together with its bot.
func (ps *Apps) Named(slug string) *App {
	if a, ok := ps.bySlug[slug]; ok {
		return a
	}
	a := &App{ID: ps.clock.NextID(), Slug: slug, Bot: ps.accounts.New(slug+"[bot]", KindBot), Created: ps.clock.Now()}
	ps.bySlug[slug] = a
	return a
}

// InstallationOf finds the installation that reaches a repository.
func (ps *Apps) InstallationOf(r *Repository) (*Installation, bool) {
	for _, i := range ps.installs {
		if i.covers(r) {
			return i, true
		}
	}
	return nil, false
}

// Installations lists where the App under test is installed.
func (ps *Apps) Installations() []*Installation { return ps.installs }

// Find finds an App by slug.
func (ps *Apps) Find(slug string) (*App, bool) {
	a, found := ps.bySlug[slug]
	return a, found
}

// InstallationFor finds the installation of an account.
func (ps *Apps) InstallationFor(a *Account) (*Installation, bool) {
	for _, i := range ps.installs {
		if i.Account == a {
			return i, true
		}
	}
	return nil, false
}

// Installed reports whether an installation still is one.
func (ps *Apps) Installed(i *Installation) bool {
	for _, one := range ps.installs {
		if one == i {
			return true
		}
	}
	return false
}

// May reports whether a set of permissions includes "read" or "write" of one.
func May(permissions map[string]string, name, level string) bool {
	have := permissions[name]
	return have == "write" || have == "admin" || have == level
}

// Sees reports whether the App under test receives an event, by the permission that GitHub ties it to.
func (a *App) Sees(event string) bool {
	name, ok := map[string]string{
		"push": "contents", "create": "contents", "delete": "contents", "release": "contents",
		"repository_dispatch": "contents",
		"pull_request":        "pull_requests", "pull_request_review": "pull_requests",
		"pull_request_review_comment": "pull_requests",
		"issue_comment":               "issues", "label": "issues", "check_run": "checks", "check_suite": "checks",
		"status": "statuses", "deployment": "deployments", "deployment_status": "deployments", "workflow_run": "actions",
		"deployment_protection_rule": "deployments",
		"member":                     "members", "membership": "members", "team": "members", "organization": "members",
		"merge_group":      "merge_queues",
		"registry_package": "packages",
	}[event]
	if !ok {
		// a promotion bot does not subscribe to issues, and no App can to package; the rest needs metadata only
		return event != "issues" && event != "package"
	}
	if event == "issue_comment" || event == "label" {
		return May(a.Permissions, "issues", "read") || May(a.Permissions, "pull_requests", "read")
	}
	return May(a.Permissions, name, "read")
}

// Issued reports whether an iss claim names the App: by its id, as text or number, or by its client id.
func (a *App) Issued(iss any) bool {
	switch by := iss.(type) {
	case string:
		return by == strconv.FormatInt(a.ID, 10) || by == a.ClientID()
	case float64:
		return int64(by) == a.ID
	}
	return false
}

// Install puts the App under test into an account, for the given repositories or all of them.
func (ps *Apps) Install(a *Account, repos []*Repository, who *Account) *Installation {
	i := &Installation{
		ID: ps.clock.NextID(), Account: a, All: len(repos) == 0, repos: map[int64]bool{}, Created: ps.clock.Now(),
	}
	for _, r := range repos {
		i.repos[r.ID] = true
	}
	ps.installs = append(ps.installs, i)
	ps.announce(i, "installation", "created", who, i, Fields{"requester": nil})
	return i
}

// Uninstall takes the App out of an account.
func (ps *Apps) Uninstall(i *Installation, who *Account) {
	var kept []*Installation
	for _, one := range ps.installs {
		if one != i {
			kept = append(kept, one)
		}
	}
	ps.installs = kept
	ps.announce(i, "installation", "deleted", who, i, Fields{"requester": nil})
}

// Suspend suspends an installation.
func (ps *Apps) Suspend(i *Installation, who *Account) {
	i.Suspended = ps.clock.Now()
	ps.announce(i, "installation", "suspend", who, i, nil)
}

// Unsuspend ends a suspension.
func (ps *Apps) Unsuspend(i *Installation, who *Account) {
	i.Suspended = time.Time{}
	ps.announce(i, "installation", "unsuspend", who, i, nil)
}

// Reach adds a repository to an installation that has selected ones, or takes it away.
func (ps *Apps) Reach(i *Installation, r *Repository, add bool, who *Account) {
	if i.All || i.repos[r.ID] == add {
		return
	}
	action := "added"
	if add {
		i.repos[r.ID] = true
	} else {
		delete(i.repos, r.ID)
		action = "removed"
	}
	ps.announce(i, "installation_repositories", action, who, Reach{r, add}, nil)
}

// announce sends an event of an installation.
func (ps *Apps) announce(install *Installation, name, action string, sender *Account, subject any, with Fields) {
	ps.tell(Event{Name: name, Action: action, Install: install, Sender: sender, Subject: subject, With: with})
}

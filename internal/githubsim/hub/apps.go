package hub

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// App is a GitHub App: the one under test, or another that writes checks (github-actions).
type App struct {
	ID          int64
	Slug        string
	Bot         *Account
	Permissions map[string]string
	// Unsubscribed are the events that its owner has not ticked, although its permissions allow them.
	Unsubscribed map[string]bool
	Created      time.Time
}

// ClientID returns the App's client id, which it uses to sign in people and may use in its JWTs.
func (a *App) ClientID() string { return "Iv1." + a.Slug }

// Installation is the installation of the App under test in one account.
type Installation struct {
	ID        int64
	Account   *Account
	All       bool // every repository of the account
	repos     map[int64]bool
	Created   time.Time
	Suspended time.Time
}

// covers reports whether the installation can access a repository.
func (i *Installation) covers(r *Repository) bool {
	return i.Account == r.Owner && (i.All || i.repos[r.ID])
}

// Apps holds the GitHub Apps, and the installations of the one under test.
type Apps struct {
	clock    *Clock
	accounts *Accounts
	tell     func(Event)
	Own      *App            // the App under test
	bySlug   map[string]*App // the other Apps
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

// InstallationOf finds the installation that can access a repository.
func (ps *Apps) InstallationOf(r *Repository) (*Installation, bool) {
	for _, i := range ps.installs {
		if i.covers(r) {
			return i, true
		}
	}
	return nil, false
}

// Installations lists the installations of the App under test.
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

// Installed reports whether an installation still exists.
func (ps *Apps) Installed(i *Installation) bool {
	for _, one := range ps.installs {
		if one == i {
			return true
		}
	}
	return false
}

// May reports whether a set of permissions includes one at the level "read" or "write".
func May(permissions map[string]string, name, level string) bool {
	have := permissions[name]
	return have == "write" || have == "admin" || have == level
}

// requires has the permission without which GitHub does not send an event.
var requires = map[string]string{
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
}

// Choose has the App receive these events, as far as its permissions allow, and no others.
func (a *App) Choose(events []string) {
	a.Unsubscribed = map[string]bool{"repository": !slices.Contains(events, "repository")}
	for event := range requires {
		a.Unsubscribed[event] = !slices.Contains(events, event)
	}
}

// Sees reports whether the App under test receives an event: its owner has ticked it, and it has the
// permission that GitHub requires for it.
func (a *App) Sees(event string) bool {
	if a.Unsubscribed[event] {
		return false
	}
	name, ok := requires[event]
	if !ok {
		// a promotion bot does not subscribe to issues, and no App can subscribe to package; the others need metadata only
		return event != "issues" && event != "package"
	}
	return May(a.Permissions, name, "read")
}

// Unsent lists the kinds of events that the App could receive with all permissions and events ticked, and does not.
func (a *App) Unsent() (all []string) {
	for _, event := range append(slices.Sorted(maps.Keys(requires)), "repository") {
		if !a.Sees(event) {
			all = append(all, event)
		}
	}
	return all
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

// Install installs the App under test in an account, for the given repositories or all of them.
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

// Uninstall removes the App from an account.
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

// Permit changes a permission of the App under test, and has its installations accept that; an empty level takes it
// away, of which nobody is told.
func (ps *Apps) Permit(name, level string) {
	own := ps.Own
	less := level == "" || May(own.Permissions, name, level)
	own.Permissions = maps.Clone(own.Permissions)
	own.Permissions[name] = level
	if level == "" {
		delete(own.Permissions, name)
	}
	if less {
		return
	}
	for _, i := range ps.installs {
		ps.announce(i, "installation", "new_permissions_accepted", i.Account.Ruler(), i, nil)
	}
}

// Subscribe has the owner of the App under test tick an event, or no longer.
func (ps *Apps) Subscribe(event string, on bool) {
	if ps.Own.Unsubscribed == nil {
		ps.Own.Unsubscribed = map[string]bool{}
	}
	ps.Own.Unsubscribed[event] = !on
}

// Reach adds a repository to the selected ones of an installation, or removes it.
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

// Package hub is what there is on the simulated GitHub, and what follows from what. It knows neither HTTP nor JSON: its
// rooms take changes, refuse what GitHub refuses in GitHub's words (Refusal), and tell of every change by an Event.
//
// Each type owns a part of the state. Repository holds what belongs to one repository: Git objects and references
// (Git), Board (issues, pull requests, labels, comments), Reports (check suites, check runs, statuses) and Rules
// (settings, protections). The rooms change it: Refs moves references, Tracker keeps issues, Pulls, Queues and Merges
// follow pull requests to their end, Checks takes reports, and so on. A room knows the rooms that are its fields; what
// else follows from a change is wired in New.
package hub

import (
	"sync"
	"time"
)

// Hub is the simulated GitHub: its rooms, each of which owns a part of the state. Whoever uses them holds the lock.
type Hub struct {
	sync.Mutex
	Clock       *Clock
	Accounts    *Accounts
	Apps        *Apps
	Repos       *Repos
	Orgs        *Orgs
	Refs        *Refs
	Checks      *Checks
	Tracker     *Tracker
	Pulls       *Pulls
	Queues      *Queues
	Merges      *Merges
	Releases    *Releases
	Deployments *Deployments
	Workflows   *Workflows
	Images      *Images
}

// Setup says how a hub begins.
type Setup struct {
	Clock func() time.Time
	Seed  int64  // makes the ids of two hubs differ
	Dir   string // for the repositories
	// Sparse leaves the patches of changes out, because nobody looks at them.
	Sparse      bool
	AppID       int64
	AppSlug     string
	Permissions map[string]string
	Tell        func(Event) // hears every event that an App is told of
}

// New makes a hub with the App under test and the accounts that every GitHub has.
//
// What follows from a push, from a report on a commit and from the end of a pull request is wired here, in the order in
// which GitHub does it. A consequence that is to come late is delayed here.
func New(s Setup) *Hub {
	h := &Hub{Clock: &Clock{clock: s.Clock, ids: 1000 + s.Seed*1_000_000}}
	h.Accounts = &Accounts{clock: h.Clock, byLogin: map[string]*Account{}}
	h.Apps = &Apps{clock: h.Clock, accounts: h.Accounts, bySlug: map[string]*App{}, tell: s.Tell}
	events := &Events{apps: h.Apps, tell: s.Tell}
	h.Refs = &Refs{clock: h.Clock, events: events}
	h.Repos = &Repos{
		clock: h.Clock, accounts: h.Accounts, apps: h.Apps, events: events, refs: h.Refs, dir: s.Dir, sparse: s.Sparse,
		byName: map[string]*Repository{}, moved: map[string]*Repository{},
	}
	h.Orgs = &Orgs{clock: h.Clock, accounts: h.Accounts, repos: h.Repos, events: events}
	h.Checks = &Checks{clock: h.Clock, apps: h.Apps, events: events}
	h.Tracker = &Tracker{clock: h.Clock, events: events}
	h.Pulls = &Pulls{clock: h.Clock, repos: h.Repos, events: events, refs: h.Refs, tracker: h.Tracker}
	h.Queues = &Queues{clock: h.Clock, events: events, refs: h.Refs, pulls: h.Pulls}
	h.Merges = &Merges{clock: h.Clock, refs: h.Refs, pulls: h.Pulls, queues: h.Queues}
	h.Releases = &Releases{clock: h.Clock, events: events, refs: h.Refs}
	h.Deployments = &Deployments{clock: h.Clock, events: events, refs: h.Refs}
	h.Workflows = &Workflows{clock: h.Clock, apps: h.Apps, events: events, checks: h.Checks}
	h.Images = &Images{clock: h.Clock, events: events, byName: map[string]*Image{}}

	h.Refs.pushed = []func(Push) error{h.Checks.pushed, h.Pulls.headMoved, h.Merges.baseMoved}
	h.Refs.deleted = []func(r *Repository, branch string, who *Account) error{h.Pulls.branchDeleted}
	h.Checks.reported = h.Merges.reported
	h.Pulls.reviewed = h.Merges.reported
	h.Pulls.left = h.Queues.pullLeft

	h.Apps.Named("github-actions").ID = 15368 // the id it has on github.com
	h.Apps.Own = h.Apps.Named(s.AppSlug)
	h.Apps.Own.ID = s.AppID
	h.Apps.Own.Permissions = s.Permissions
	return h
}

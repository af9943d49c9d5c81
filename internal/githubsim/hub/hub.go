// Package hub is the state of the simulated GitHub and its rules. It knows neither HTTP nor JSON: its
// rooms take changes, refuse in GitHub's words (Refusal), and tell of every change by an Event.
//
// Each type owns a part of the state. Repository holds the state of one repository: Git objects and references
// (Git), Board (issues, pull requests, labels, comments), Reports (check suites, check runs, statuses) and Rules
// (settings, protections). The rooms change it: Refs moves references, Tracker keeps issues, Pulls, Queues and Merges
// follow pull requests to their end, Checks takes reports, and so on. A room knows the rooms that are its fields; the
// other consequences of a change are wired in New.
package hub

import (
	"sync"
	"time"
)

// Hub is the simulated GitHub: its rooms, each of which owns a part of the state. Callers hold the lock.
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
	// Sparse leaves the patches of changes out, where they are not read.
	Sparse      bool
	AppID       int64
	AppSlug     string
	Permissions map[string]string
	Tell        func(Event) // hears every event that an App is told of
}

// New makes a hub with the App under test and the accounts that every GitHub has.
//
// The consequences of a push, of a report on a commit and of the end of a pull request are wired here, in the order in
// which GitHub does it. This is the place to delay one.
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

// Request locks the hub for a request to one of the APIs. The request ends with a call of the function it returns.
func (h *Hub) Request() (end func()) {
	h.Lock()
	return h.Unlock
}

// Clock is the time of everything that GitHub stamps, and the source of its ids.
type Clock struct {
	clock func() time.Time
	ids   int64
}

// NextID hands out ids in order of creation; all kinds share one sequence, so that ids are never mixed up unnoticed.
func (c *Clock) NextID() int64 {
	c.ids++
	return c.ids
}

// Now is the time cut to the second, which is all that GitHub tells.
func (c *Clock) Now() time.Time { return c.clock().UTC().Truncate(time.Second) }

// Exact is the time uncut, for limits and tokens.
func (c *Clock) Exact() time.Time { return c.clock().UTC() }

// Package hub holds the state of the simulated GitHub and implements its rules. It does not use HTTP or JSON: its types
// make changes, return errors in GitHub's words (Refusal), and report every change as an Event.
//
// Each type owns a part of the state. Repository holds the state of one repository: Git objects and references (Git),
// Board (issues, pull requests, labels, comments), Reports (check suites, check runs, statuses) and Rules (settings,
// protections). Other types change it: Refs moves references, Tracker writes issues, Pulls, Queues and Merges handle
// pull requests until they are closed, Checks writes reports, and so on. A type uses the types in its fields; New
// connects the other consequences of a change.
package hub

import (
	"sync"
	"time"
)

// Hub is the simulated GitHub. Each of its fields owns a part of the state. Callers hold the lock.
type Hub struct {
	sync.Mutex
	Clock       *Clock
	Lag         *Lag
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

// Setup configures a hub.
type Setup struct {
	Clock func() time.Time
	Seed  int64  // makes the ids of two hubs differ
	Dir   string // the folder of the repositories
	// Sparse leaves out the patches of changes, for callers that do not read them.
	Sparse      bool
	AppID       int64
	AppSlug     string
	Permissions map[string]string
	Tell        func(Event) // receives every event for the App
}

// New returns a hub with the App under test and the accounts that every GitHub has.
//
// It connects the consequences of a push, of a report on a commit and of the end of a pull request, in GitHub's order.
// To delay a consequence, change it here.
func New(s Setup) *Hub {
	h := &Hub{Clock: &Clock{clock: s.Clock, ids: 1000 + s.Seed*1_000_000}}
	h.Lag = &Lag{clock: h.Clock}
	h.Accounts = &Accounts{clock: h.Clock, byLogin: map[string]*Account{}}
	h.Apps = &Apps{clock: h.Clock, accounts: h.Accounts, bySlug: map[string]*App{}, tell: s.Tell}
	events := &Events{apps: h.Apps, tell: s.Tell}
	h.Refs = &Refs{clock: h.Clock, events: events, lag: h.Lag}
	h.Repos = &Repos{
		clock: h.Clock, accounts: h.Accounts, apps: h.Apps, events: events, refs: h.Refs, dir: s.Dir, sparse: s.Sparse,
		byName: map[string]*Repository{}, moved: map[string]*Repository{},
	}
	h.Orgs = &Orgs{clock: h.Clock, accounts: h.Accounts, repos: h.Repos, events: events}
	h.Checks = &Checks{clock: h.Clock, apps: h.Apps, events: events}
	h.Tracker = &Tracker{clock: h.Clock, events: events}
	h.Pulls = &Pulls{clock: h.Clock, lag: h.Lag, repos: h.Repos, events: events, refs: h.Refs, tracker: h.Tracker}
	h.Queues = &Queues{clock: h.Clock, events: events, refs: h.Refs, pulls: h.Pulls}
	h.Merges = &Merges{clock: h.Clock, refs: h.Refs, pulls: h.Pulls, queues: h.Queues}
	h.Releases = &Releases{clock: h.Clock, events: events, refs: h.Refs}
	h.Deployments = &Deployments{clock: h.Clock, events: events, refs: h.Refs}
	h.Workflows = &Workflows{clock: h.Clock, apps: h.Apps, events: events, checks: h.Checks}
	h.Images = &Images{clock: h.Clock, events: events, byName: map[string]*Image{}}

	h.Refs.pushed = []func(Push) error{h.Checks.pushed, h.Pulls.headMoved, h.Merges.baseMoved}
	h.Refs.deleted = []func(r *Repository, branch string, who *Account) error{h.Pulls.branchDeleted}
	h.Refs.renamed = h.Pulls.branchRenamed
	h.Checks.reported = h.Merges.reported
	h.Pulls.reviewed = h.Merges.reported
	h.Pulls.left = h.Queues.pullLeft

	h.Apps.Named("github-actions").ID = 15368 // its id on github.com
	h.Apps.Own = h.Apps.Named(s.AppSlug)
	h.Apps.Own.ID = s.AppID
	h.Apps.Own.Permissions = s.Permissions
	return h
}

// Request locks the hub for a request to one of the APIs. The caller ends the request by calling end.
func (h *Hub) Request() (end func()) {
	h.Lock()
	h.Lag.begin(h.Repos)
	return h.Unlock
}

// Clock provides GitHub's timestamps and ids.
type Clock struct {
	clock func() time.Time
	ids   int64
}

// NextID returns ids in order of creation. All kinds share one sequence, so that mixing up two kinds of ids is noticed.
func (c *Clock) NextID() int64 {
	c.ids++
	return c.ids
}

// Now returns the time in whole seconds, which is GitHub's precision.
func (c *Clock) Now() time.Time { return c.clock().UTC().Truncate(time.Second) }

// Exact returns the time in full precision, for limits and tokens.
func (c *Clock) Exact() time.Time { return c.clock().UTC() }

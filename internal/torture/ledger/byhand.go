package ledger

import (
	"slices"
	"time"

	"waybill/internal/torture/shape"
)

// ByHand records the acts of people that the invariants must know.
type ByHand struct {
	Touched  map[string]int       // number of changes of a stage's file, by stage
	Handled  map[string]time.Time // time of the last change of a stage's file, by path
	Pushed   map[string]bool      // commits on Waybill's branches
	Asked    map[string]bool      // targets, as stage/target, for which people have made a request
	Removals map[string]int       // number of deletions of a pull request's comment
	Reruns   map[string]int       // number of requests to run checks again, by commit
}

// Gaps records gaps in the program's knowledge. Invariants that require complete knowledge look here.
type Gaps struct {
	Deaf    bool // it may have missed an event
	Forgot  bool // so much time has passed that some rows and webhooks are no longer kept
	Apart   bool // the App has no access to some repository now
	Parted  bool // the App has had no access to some repository
	Hidden  bool // GitHub may have left workflow runs out of a list
	Unheard bool // a webhook was lost without a trace: only a resync finds out
	Unasked bool // the webhook of a job was lost without a trace
	Lost    bool // an older copy of the database has taken its place: the deployments of lost promotions stay open

	// Denied is since when the App has had no token with a permission that it lacks.
	Denied map[string]time.Time
	unsent map[string]bool // kinds of events that GitHub has not sent for a while, and of which no resync has told since
}

// Permissions are those of the App of which each belongs to one feature, with their levels.
var Permissions = []struct{ Name, Level string }{
	{"actions", "write"}, {"checks", "write"}, {"deployments", "write"}, {"issues", "write"}, {"members", "read"},
	{"merge_queues", "read"}, {"packages", "read"}, {"statuses", "read"},
}

// Deny records that the App lacks a permission, and that its tokens have it for a while.
func (g *Gaps) Deny(permission string, tokens time.Duration) {
	if g.Denied == nil {
		g.Denied = map[string]time.Time{}
	}
	g.Denied[permission] = time.Now().Add(tokens)
}

// Miss records that GitHub does not send some kinds of events now (docs/github.md, Events). A resync finds out about
// most; about jobs and comments none does.
func (g *Gaps) Miss(events []string) {
	if g.unsent == nil {
		g.unsent = map[string]bool{}
	}
	for _, event := range events {
		g.unsent[event] = true
	}
	g.Unheard = g.Unheard || len(events) > 0
	g.Unasked = g.Unasked || g.unsent["deployment_protection_rule"]
}

// Compared records that all pipelines have been compared with GitHub, which sends some kinds of events now.
func (g *Gaps) Compared(sends func(event string) bool) {
	for event := range g.unsent {
		if event != "deployment_protection_rule" && event != "issue_comment" && sends(event) {
			delete(g.unsent, event)
		}
	}
}

// Missed reports whether the program may not know of some kinds of events.
func (g *Gaps) Missed(events ...string) bool {
	return g.Deaf || slices.ContainsFunc(events, func(event string) bool { return g.unsent[event] })
}

// touch counts a change by hand of stages' files.
func (b *ByHand) touch(files map[string]*string) {
	for path := range files {
		b.Touched[shape.StageOf(path)]++
		b.Handled[path] = time.Now()
	}
}

// AsksFor records that a person makes a request for a target, and returns its name as stage/target.
func (b *ByHand) AsksFor(stage, target string) string {
	place := stage + "/" + target
	b.Asked[place] = true
	return place
}

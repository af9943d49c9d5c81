package ledger

import (
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

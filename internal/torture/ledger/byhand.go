package ledger

import (
	"time"

	"waybill/internal/torture/shape"
)

// ByHand is what people have done by hand that the invariants must know.
type ByHand struct {
	Touched  map[string]int       // how often they have changed a stage's file, by stage
	Handled  map[string]time.Time // when they last changed a file of a stage
	Pushed   map[string]bool      // commits on our branches
	Asked    map[string]bool      // targets, with their stages, of which they have asked something
	Removals map[string]int       // how often they have deleted the comment of a pull request
}

// Gaps are what the program may not know: an invariant that needs it to know everything looks here.
type Gaps struct {
	Deaf    bool // it may not have been told of something
	Forgot  bool // so much time has passed that some things are not kept any more
	Apart   bool // the App has no access to some repository at the moment
	Parted  bool // it has not had at some time
	Hidden  bool // GitHub has not listed all runs of workflows at some time
	Unasked bool // the webhook of a job was lost without a trace
}

// touch counts a change by hand of stages' files.
func (b *ByHand) touch(files map[string]*string) {
	for path := range files {
		b.Touched[shape.StageOf(path)]++
		b.Handled[path] = time.Now()
	}
}

// AsksFor names a target of which somebody asks something.
func (b *ByHand) AsksFor(stage, target string) string {
	place := stage + "/" + target
	b.Asked[place] = true
	return place
}

package torture

import (
	"time"

	"waybill/internal/torture/shape"
)

// touch counts a change by hand of stages' files.
func (b *ByHand) touch(files map[string]*string) {
	for path := range files {
		b.touched[shape.StageOf(path)]++
		b.handled[path] = time.Now()
	}
}

// asksFor names a target of which somebody asks something.
func (b *ByHand) asksFor(stage, target string) string {
	place := stage + "/" + target
	b.asked[place] = true
	return place
}

// ByHand is what people have done by hand that the invariants must know.
type ByHand struct {
	touched  map[string]int       // how often they have changed a stage's file, by stage
	handled  map[string]time.Time // when they last changed a file of a stage
	pushed   map[string]bool      // commits on our branches
	asked    map[string]bool      // targets, with their stages, of which they have asked something
	removals map[string]int       // how often they have deleted the comment of a pull request
}

// Gaps are what the program may not know: an invariant that needs it to know everything looks here.
type Gaps struct {
	deaf    bool // it may not have been told of something
	forgot  bool // so much time has passed that some things are not kept any more
	apart   bool // the App has no access to some repository at the moment
	parted  bool // it has not had at some time
	hidden  bool // GitHub has not listed all runs of workflows at some time
	unasked bool // the webhook of a job was lost without a trace
}

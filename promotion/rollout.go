package promotion

import (
	"slices"
	"time"
)

// Rollout is a promotion's way through the targets of its stage (SEMANTICS 5). The batches are those that the pipeline file
// had when it started and never change; the rest says how far it has come.
type Rollout struct {
	Batches []Batch
	Step    int          // that is under way, 1 for the first
	Batch   int          // the index of its batch
	Targets []TargetName // that the step updates
	Waiting []TargetName // that could not take part when their turn came
	Gone    []TargetName // that the pipeline file no longer has
}

// Part is what a stay says of one target: the merge that brought its freight there, and the latest verdict on it.
type Part struct {
	Target  TargetName
	Step    int
	Commit  SHA       // where signals count first
	Since   time.Time // runs that started before do not count; zero: all do
	Verdict Verdict
	Judged  time.Time
	Cause   Reason // why it failed
}

// BatchName is the name of the batch that the present step belongs to.
func (r *Rollout) BatchName() string { return r.Batches[r.Batch].Name }

// next returns the step behind the present one: the first batch that has targets to come, and as many of them as may be
// updated at once. A target that has failed is unavailable and takes one of these places, unless failures are not to stop
// anything. Without a step the rollout has come to its end; with a step without targets it cannot go on, because what has
// failed leaves no place.
func (r *Rollout) next(stage *Stage, parts []Part) (step Rollout, more bool) {
	step = *r
	for i, b := range r.Batches {
		left := slices.Clone(b.Targets)
		failed := 0
		for _, p := range parts {
			if j := slices.Index(left, p.Target); j >= 0 {
				left = slices.Delete(left, j, j+1)
				if p.Verdict == Bad {
					failed++
				}
			}
		}
		left = slices.DeleteFunc(left, func(t TargetName) bool { return slices.Contains(r.Waiting, t) || slices.Contains(r.Gone, t) })
		there := slices.DeleteFunc(slices.Clone(left), func(t TargetName) bool { return stage.Target(t) == nil })
		for _, t := range left {
			if !slices.Contains(there, t) {
				step.Gone = append(step.Gone[:len(step.Gone):len(step.Gone)], t)
			}
		}
		if len(there) == 0 {
			continue
		}
		places := b.AtOnce
		if stage.Beyond != BeyondContinues {
			places -= failed
		}
		step.Step, step.Batch, step.Targets = r.Step+1, i, there[:min(max(places, 0), len(there))]
		return step, true
	}
	return step, false
}

package promotion

import "time"

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
	done, failed := r.reached(parts)
	known := stage.names()
	for i, b := range r.Batches {
		places := b.AtOnce
		var left []TargetName
		for _, t := range b.Targets {
			switch {
			case failed[t] && stage.Beyond != BeyondContinues:
				places--
			case done[t]:
			case known[t]:
				left = append(left, t)
			default:
				step.Gone = append(step.Gone[:len(step.Gone):len(step.Gone)], t)
			}
		}
		if len(left) > 0 {
			step.Step, step.Batch, step.Targets = r.Step+1, i, left[:min(max(places, 0), len(left))]
			return step, true
		}
	}
	return step, false
}

// reached returns the targets that the rollout has come to, and those of them that have failed.
func (r *Rollout) reached(parts []Part) (done, failed map[TargetName]bool) {
	done, failed = make(map[TargetName]bool, len(parts)), make(map[TargetName]bool)
	for i := range parts {
		done[parts[i].Target] = true
		if parts[i].Verdict == Bad {
			failed[parts[i].Target] = true
		}
	}
	for _, t := range r.Waiting {
		done[t] = true
	}
	for _, t := range r.Gone {
		done[t] = true
	}
	return done, failed
}

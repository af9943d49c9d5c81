package promotion

import (
	"slices"
	"time"
)

// Rollout is a promotion's way through the targets of its stage (semantics 5). The batches are those that the pipeline file
// had when it started and never change; the rest says how far it has come.
type Rollout struct {
	Batches []Batch
	Step    int          // that is under way, 1 for the first; 0: there was nothing to bring
	Batch   int          // the index of its batch
	Targets []TargetName // that the step updates
	Waiting []TargetName // that could not take part when their turn came
	Gone    []TargetName // that the pipeline file no longer has
	Skipped []TargetName // that somebody has left out
	Paused  Actor        // who has paused it; zero: nobody
	Merged  int          // steps of it that have been merged
	Entered []int        // the indices of the batches of which one has been
}

// Part is what a stay says of one target: the merge that brought its freight there, and the latest verdict on it.
type Part struct {
	Target  TargetName
	Step    int       // of the promotion that brought it; 0: it stood already, and is judged no more
	Commit  SHA       // where signals count first
	Since   time.Time // runs that started before do not count; zero: all do
	Verdict Verdict
	Judged  time.Time
	Cause   Reason // why it failed
}

// BatchName is the name of the batch that the present step belongs to.
func (r *Rollout) BatchName() string { return r.Batches[r.Batch].Name }

// next returns the step behind the present one: the first batch that is not done, and as many of its targets as may be
// updated at once, or one of them where each has a pull request of its own. A target that is not verified yet is unavailable
// and takes one of these places; so does one that has failed, unless failures are not to stop anything. One that is not ready
// when its batch comes waits. Without a step the rollout has come to its end; with a step without targets it cannot go on
// now, because what is unavailable leaves no place.
func (p *Promotion) Next(stage *Stage, parts []Part, unready func(TargetName) bool) (step Rollout, more bool) {
	r := p.Rollout
	step = *r
	step.Waiting, step.Gone = slices.Clone(r.Waiting), slices.Clone(r.Gone)
	reached := r.reached(parts)
	known := stage.names()
	failed, verifying := stage.unavailable(parts)
	for i, b := range r.Batches {
		places, waits := b.AtOnce, false
		var left []TargetName
		for _, t := range b.Targets {
			switch {
			case failed[t]:
				places--
			case verifying[t]:
				places--
				waits = true
			case reached[t] || !p.GoesTo(t):
			case !known[t]:
				step.Gone = append(step.Gone, t)
			case unready(t):
				step.Waiting = append(step.Waiting, t)
			default:
				left = append(left, t)
			}
		}
		if stage.PerTarget {
			places = min(places, 1)
		}
		if len(left) > 0 || waits {
			left = stage.neighbours(left)
			step.Step, step.Targets = r.Step+1, left[:min(max(places, 0), len(left))]
			step.Batch = i
			return step, true
		}
	}
	return step, false
}

// unavailable returns the targets that have failed, where that stops anything, and those that are being verified. What stood
// already is not.
func (s *Stage) unavailable(parts []Part) (failed, verifying map[TargetName]bool) {
	failed, verifying = make(map[TargetName]bool), make(map[TargetName]bool)
	for i := range parts {
		switch p := &parts[i]; {
		case p.Verdict == Bad && s.Beyond != BeyondContinues:
			failed[p.Target] = true
		case p.Verdict == Pending && p.Step > 0:
			verifying[p.Target] = true
		}
	}
	return failed, verifying
}

// reached returns the targets that the rollout has come to.
func (r *Rollout) reached(parts []Part) map[TargetName]bool {
	reached := make(map[TargetName]bool, len(parts))
	for i := range parts {
		reached[parts[i].Target] = true
	}
	for _, passed := range [][]TargetName{r.Waiting, r.Gone, r.Skipped} {
		for _, t := range passed {
			reached[t] = true
		}
	}
	return reached
}

// short reports whether the freight has not come to all targets that can take part: what did not go there, or broke off,
// verifies no stage.
func (r *Rollout) Short(stage *Stage, parts []Part) bool {
	reached := r.reached(parts)
	known := stage.names()
	for _, b := range r.Batches {
		for _, t := range b.Targets {
			if !reached[t] && known[t] {
				return true
			}
		}
	}
	return false
}

// with returns the names and one more, and leaves what is given as it is.
func With(names []TargetName, more TargetName) []TargetName {
	return append(names[:len(names):len(names)], more)
}

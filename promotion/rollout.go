package promotion

import (
	"fmt"
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

// all returns how many targets there are.
func (r *Rollout) all() int {
	n := 0
	for _, b := range r.Batches {
		n += len(b.Targets)
	}
	return n
}

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

// Tally counts the targets of a rollout by how they stand. Together they are always all of them.
type Tally struct {
	All, Verified, Updating, Failed, Waiting, Gone, ToCome int
}

// Tally counts how the targets of a promotion stand; a promotion without targets has none.
func (s *Snapshot) Tally(p *Promotion) Tally {
	if p.Rollout == nil {
		return Tally{}
	}
	var parts []Part
	if i := s.stayOf(p.Number); i >= 0 {
		parts = s.Stays[i].Parts
	}
	return p.tally(parts)
}

func (p *Promotion) tally(parts []Part) Tally {
	r := p.Rollout
	t := Tally{All: r.all(), Waiting: len(r.Waiting), Gone: len(r.Gone)}
	for _, part := range parts {
		switch part.Verdict {
		case Passed:
			t.Verified++
		case Bad:
			t.Failed++
		default:
			t.Updating++
		}
	}
	if !p.State.Ended() {
		for _, target := range r.Targets {
			if !slices.ContainsFunc(parts, func(part Part) bool { return part.Target == target }) {
				t.Updating++
			}
		}
	}
	t.ToCome = t.All - t.Verified - t.Updating - t.Failed - t.Waiting - t.Gone
	return t
}

// String says it in a line, such as "12/40 verified, 2 updating, 1 failed, 3 waiting, 22 to come".
func (t Tally) String() string {
	if t.All == 0 {
		return ""
	}
	line := fmt.Sprintf("%d/%d verified", t.Verified, t.All)
	for _, one := range []struct {
		n    int
		what string
	}{{t.Updating, "updating"}, {t.Failed, "failed"}, {t.Waiting, "waiting"}, {t.Gone, "removed"}, {t.ToCome, "to come"}} {
		if one.n > 0 {
			line += fmt.Sprintf(", %d %s", one.n, one.what)
		}
	}
	return line
}

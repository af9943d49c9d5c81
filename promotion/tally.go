package promotion

import (
	"fmt"
	"strings"
)

// TargetState says how a target of a rollout stands.
type TargetState string

// The states of a target, in the words of the summary. A waiting one could not take part when its turn came, one that is
// skipped was left out by somebody, and one that is removed has left the pipeline file since the promotion started.
const (
	TargetVerified TargetState = "verified"
	TargetUpdating TargetState = "updating"
	TargetFailed   TargetState = "failed"
	TargetWaiting  TargetState = "waiting"
	TargetSkipped  TargetState = "skipped"
	TargetRemoved  TargetState = "removed"
	TargetToCome   TargetState = "to come"
)

// TargetStanding is how one target of a rollout stands.
type TargetStanding struct {
	Target TargetName
	Batch  string
	State  TargetState
	Cause  Reason // why it failed, or what it waits for
}

// Targets returns how the targets of a promotion stand, batch by batch: parts are what it has brought to them. There are
// none without a rollout.
func (p *Promotion) Targets(parts []Part) []TargetStanding {
	if p.Rollout == nil {
		return nil
	}
	brought := make(map[TargetName]*Part, len(parts))
	for i := range parts {
		brought[parts[i].Target] = &parts[i]
	}
	var all []TargetStanding
	states := p.Rollout.states(p.State.Ended())
	for _, b := range p.Rollout.Batches {
		for _, t := range b.Targets {
			at := TargetStanding{Target: t, Batch: b.Name, State: TargetToCome}
			if state, known := states[t]; known {
				at.State = state
			}
			if part := brought[t]; part != nil {
				at.State, at.Cause = part.state(), part.Cause
			}
			all = append(all, at)
		}
	}
	return all
}

// states are those of targets whose turn has come, and to which nothing has been brought. Of a rollout that is over nothing
// is being updated.
func (r *Rollout) states(over bool) map[TargetName]TargetState {
	all := make(map[TargetName]TargetState)
	if !over {
		for _, t := range r.Targets {
			all[t] = TargetUpdating
		}
	}
	for _, t := range r.Gone {
		all[t] = TargetRemoved
	}
	for _, t := range r.Skipped {
		all[t] = TargetSkipped
	}
	for _, t := range r.Waiting {
		all[t] = TargetWaiting
	}
	return all
}

func (p *Part) state() TargetState {
	switch p.Verdict {
	case Passed:
		return TargetVerified
	case Bad:
		return TargetFailed
	}
	return TargetUpdating
}

// worth is the order in which the states of targets are told: first what a person may have to look at.
var worth = []TargetState{TargetFailed, TargetUpdating, TargetWaiting, TargetSkipped, TargetRemoved, TargetToCome, TargetVerified}

// whichStand lists in Markdown which targets stand how, and why those have failed that have; some of each are named.
func whichStand(targets []TargetStanding) string {
	var b strings.Builder
	for _, state := range worth {
		var names []string
		for _, t := range targets {
			if t.State == state {
				names = append(names, code(string(t.Target))+around(" (", t.Cause.Markdown(), ")"))
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", state, strings.Join(firstOf(names), ", "))
		}
	}
	return b.String()
}

// Tally counts the targets of a rollout by how they stand. Together they are always all of them.
type Tally struct {
	All, Verified, Updating, Failed, Waiting, Skipped, Removed, ToCome int
}

// Tally counts how the targets of a promotion stand; all zero without a rollout.
func (s *Snapshot) Tally(p *Promotion) Tally { return TallyOf(s.Targets(p)) }

// Targets returns how the targets of a promotion of the snapshot stand.
func (s *Snapshot) Targets(p *Promotion) []TargetStanding {
	all, now := p.Targets(s.partsOf(p)), *s // which keeps what it has looked up
	for i := range all {
		if all[i].State == TargetWaiting {
			all[i].Cause = now.lacks(all[i].Target)
		}
	}
	return all
}

// TallyOf counts targets by how they stand.
func TallyOf(targets []TargetStanding) Tally {
	t := Tally{All: len(targets)}
	for _, at := range targets {
		switch at.State {
		case TargetVerified:
			t.Verified++
		case TargetUpdating:
			t.Updating++
		case TargetFailed:
			t.Failed++
		case TargetWaiting:
			t.Waiting++
		case TargetSkipped:
			t.Skipped++
		case TargetRemoved:
			t.Removed++
		default:
			t.ToCome++
		}
	}
	return t
}

// mended reports whether nothing has failed that has not been made good again, and there is more to do.
func (t Tally) mended() bool {
	return t.Failed == 0 && t.Verified+t.Waiting+t.Skipped+t.Removed < t.All
}

// String says it in a line, such as "12/40 verified, 2 updating, 1 failed, 3 waiting, 22 to come"; "" if there are none.
func (t Tally) String() string {
	if t.All == 0 {
		return ""
	}
	line := fmt.Sprintf("%d/%d verified", t.Verified, t.All)
	for _, one := range []struct {
		n     int
		state TargetState
	}{{t.Updating, TargetUpdating}, {t.Failed, TargetFailed}, {t.Waiting, TargetWaiting}, {t.Skipped, TargetSkipped}, {t.Removed, TargetRemoved}, {t.ToCome, TargetToCome}} {
		if one.n > 0 {
			line += fmt.Sprintf(", %d %s", one.n, one.state)
		}
	}
	return line
}

package promotion

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

// Tally counts the targets of a rollout by how they stand. Together they are always all of them.
type Tally struct {
	All, Verified, Updating, Failed, Waiting, Skipped, Removed, ToCome int
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
func (t Tally) Mended() bool {
	return t.Failed == 0 && t.Verified+t.Waiting+t.Skipped+t.Removed < t.All
}

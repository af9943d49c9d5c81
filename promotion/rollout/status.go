package rollout

import "waybill/promotion"

// Status returns the states of the targets of a promotion of the snapshot, batch by batch, with the conditions that
// waiting ones lack. It is empty without a rollout.
func Status(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetStatus {
	all, now := StatusOf(p, ResultsOf(s, p)), *s // the copy keeps its own index
	for i := range all {
		switch {
		case all[i].State == promotion.TargetWaiting:
			all[i].Cause = now.Lacks(all[i].Target)
		case all[i].State == promotion.TargetToCome && p.State.Ended() && now.Target(all[i].Target) == nil:
			all[i].State = promotion.TargetRemoved
		}
	}
	return all
}

// StateIn returns how a target stands in a promotion; "" if it is no target of it.
func StateIn(s *promotion.Snapshot, p *promotion.Promotion, t promotion.TargetName) promotion.TargetState {
	for _, at := range StatusOf(p, ResultsOf(s, p)) {
		if at.Target == t {
			return at.State
		}
	}
	return ""
}

// StatusOf returns how the targets of a promotion stand, batch by batch, as far as its row and its parts tell.
func StatusOf(p *promotion.Promotion, results []promotion.TargetResult) []promotion.TargetStatus {
	if !p.Rolls() {
		return nil
	}
	brought := make(map[promotion.TargetName]*promotion.TargetResult, len(results))
	for i := range results {
		brought[results[i].Target] = &results[i]
	}
	var all []promotion.TargetStatus
	states := statesOf(p.Rollout, p.State.Ended())
	for _, b := range p.Rollout.Batches {
		for _, t := range b.Targets {
			at := promotion.TargetStatus{Target: t, Batch: b.Name, State: promotion.TargetToCome}
			if state, known := states[t]; known {
				at.State = state
			}
			if result := brought[t]; result != nil {
				at.State, at.Cause = stateOf(result), result.Cause
			}
			all = append(all, at)
		}
	}
	return all
}

// statesOf returns the states of the targets whose turn has come and that have not been updated. A rollout that is over
// updates nothing.
func statesOf(r *promotion.Rollout, over bool) map[promotion.TargetName]promotion.TargetState {
	all := make(map[promotion.TargetName]promotion.TargetState)
	set := func(names []promotion.TargetName, state promotion.TargetState) {
		for _, t := range names {
			all[t] = state
		}
	}
	if !over {
		set(r.Targets, promotion.TargetUpdating)
	}
	set(r.Gone, promotion.TargetRemoved)
	set(r.Skipped, promotion.TargetSkipped)
	set(r.Waiting, promotion.TargetWaiting)
	return all
}

func stateOf(p *promotion.TargetResult) promotion.TargetState {
	switch p.Verdict {
	case promotion.Passed:
		return promotion.TargetVerified
	case promotion.Bad:
		return promotion.TargetFailed
	}
	return promotion.TargetUpdating
}

// Summarize counts targets by how they stand.
func Summarize(targets []promotion.TargetStatus) promotion.Summary {
	t := promotion.Summary{All: len(targets)}
	for _, at := range targets {
		switch at.State {
		case promotion.TargetVerified:
			t.Verified++
		case promotion.TargetUpdating:
			t.Updating++
		case promotion.TargetFailed:
			t.Failed++
		case promotion.TargetWaiting:
			t.Waiting++
		case promotion.TargetSkipped:
			t.Skipped++
		case promotion.TargetRemoved:
			t.Removed++
		default:
			t.ToCome++
		}
	}
	return t
}

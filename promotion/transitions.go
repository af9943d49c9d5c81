package promotion

import "time"

// The named transitions: a promotion's state changes nowhere else.

// enter moves a promotion to a state that has not ended, and says so.
func (w *work) enter(n Number, state State, r Reason) *Promotion {
	p := w.change(n)
	p.State, p.Reason = state, r
	w.log(p, r)
	return p
}

// running starts a promotion.
func (w *work) running(n Number) {
	w.enter(n, Running, Reason{}).Started = w.now
}

// opened records that a promotion's pull request is open.
func (w *work) opened(n Number) {
	w.enter(n, WaitingForMerge, Reason{})
}

// merged records that a promotion's pull request is merged. The freight it replaces leaves the stage, and the promotion
// is verifying from the same moment on. What must not be undone by automation holds the stage.
func (w *work) merged(n Number, pull *Pull, a Attempt) {
	p := w.change(n)
	p.State, p.Reason, p.Merged, p.MergeSHA = Verifying, Reason{}, pull.MergedAt, pull.MergeSHA
	p.stepMerged()
	w.out.Log = append(w.out.Log, Entry{At: w.now, Stage: p.Stage, Promotion: n, State: Verifying, SHA: pull.MergeSHA, By: pull.By})
	w.bring(p, Stay{
		Promotion: n, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight,
		Entered: pull.MergedAt, Since: pull.MergedAt, Commit: pull.MergeSHA, Plan: a.planHash(), Wrote: a.wrote(pull),
	}, a.paths())
	w.pin(p)
}

// pin holds the stage when automation must not undo what has just arrived (Q11, Q12). While targets are still to come
// nothing else can start, and the hold would stop what it protects.
func (w *work) pin(p *Promotion) {
	if p.Pins && (p.Rollout == nil || p.State.Ended()) {
		w.holdOnce(w.whyPinned(p), p.Number)
	}
}

// whyPinned is whose wish automation must not undo: somebody's, or that of the pipeline file, which wants what failed undone.
func (w *work) whyPinned(p *Promotion) Reason {
	if failed := w.promotion(p.Cause); p.By.Bot() && failed != nil {
		return failed.Reason
	}
	return Because(Asked, string(p.By.Login))
}

// unchanged records that the files already say what the promotion would write (semantics 1.5). It takes over the
// verdict and the commits of the stay that wrote them; without one the signals on the base head are judged.
func (w *work) unchanged(n Number, plan *Plan) {
	if p := w.promotion(n); p.Rollout != nil && len(p.Rollout.Targets) == 0 {
		w.goOn(n) // none of the step's targets can take part yet
		return
	}
	p := w.change(n)
	p.State, p.Reason, p.Merged, p.MergeSHA = Verifying, Because(NoChange), w.now, plan.Base
	if p.Started.IsZero() {
		p.Started = w.now
	}
	w.log(p, p.Reason)
	stay := Stay{
		Promotion: n, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight,
		Entered: w.now, Commit: plan.Base, Plan: plan.Hash, Wrote: plan.Values,
	}
	if i := w.writer(plan.Hash); i >= 0 {
		by := w.Stays[i]
		stay.Verdict, stay.Judged, stay.Cause, stay.JudgedBy = by.Verdict, by.Judged, by.Cause, by.JudgedBy
		stay.Commit, stay.Since = by.Commit, by.Since
	}
	w.bring(p, stay, nil)
	w.pin(p)
}

// writer returns the index of the newest stay whose promotion wrote contents with this hash, or -1.
func (w *work) writer(hash string) int {
	for i := len(w.Stays) - 1; i >= 0; i-- {
		if hash != "" && w.Stays[i].Plan == hash {
			return i
		}
	}
	return -1
}

// leave ends the stay of the freight that is replaced at that time.
func (w *work) leave(warehouse WarehouseName, at time.Time) {
	if i := w.hosted(warehouse); i >= 0 {
		w.ownStays()
		w.Stays[i].Left = at
		w.saveStay(i)
	}
}

// arrive begins a stay. Whether what was read of the files says anything of it, only the next snapshot knows.
func (w *work) arrive(s Stay) {
	w.Readings = nil
	w.ownStays()
	w.Stays = append(w.Stays, s)
	w.saveStay(len(w.Stays) - 1)
}

// end moves a promotion to a final state.
func (w *work) end(n Number, state State, r Reason) *Promotion {
	p := w.change(n)
	p.State, p.Reason, p.Ended = state, r, w.now
	w.log(p, r)
	if p.Rollout != nil && state != Succeeded && state != VerificationFailed && w.stayOf(n) >= 0 {
		w.pin(p) // it is left halfway, and what it has brought stays
	}
	if state == Failed || state == VerificationFailed {
		w.tell(p, string(state), r)
	}
	return p
}

// withdraw ends a promotion that has not been merged, and closes its pull request if it may have one.
func (w *work) withdraw(n Number, state State, r Reason) {
	started := w.promotion(n).State != Queued
	p := w.end(n, state, r)
	if started {
		w.close(p.Number, r)
	}
}

// close owes the end of a promotion's pull request.
func (w *work) close(n Number, r Reason) {
	w.out.Effects = append(w.out.Effects, Effect{Verb: Close, Stage: w.Stage.Name, Promotion: n, Step: w.promotion(n).step(), Reason: r})
}

// tell owes a comment on the freight's source pull request.
func (w *work) tell(p *Promotion, outcome string, r Reason) {
	w.out.Effects = append(w.out.Effects, Effect{
		Verb: Tell, Stage: p.Stage, Promotion: p.Number, Freight: p.Freight, Outcome: outcome, Reason: r,
	})
}

// log says which state a promotion has entered, and why.
func (w *work) log(p *Promotion, r Reason) {
	w.out.Log = append(w.out.Log, Entry{At: w.now, Stage: p.Stage, Promotion: p.Number, State: p.State, Reason: r, By: p.By})
}

// add queues a new promotion.
func (w *work) add(p Promotion) Number {
	p.Number, p.Place, p.Stage, p.State, p.Queued = w.Next, w.NextPlace, w.Stage.Name, Queued, w.now
	w.Next, w.NextPlace = w.Next+1, w.NextPlace+1
	w.moved = true
	if !w.copied {
		w.Promotions, w.copied = append([]Promotion(nil), w.Promotions...), true
	}
	w.Promotions = append(w.Promotions, p)
	w.changed = append(w.changed, p.Number)
	w.log(&p, Reason{})
	return p.Number
}

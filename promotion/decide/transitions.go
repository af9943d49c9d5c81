package decide

import (
	"slices"
	"time"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// The named transitions: a promotion's state changes nowhere else.

// enter moves a promotion to a state that has not ended, and says so.
func (w *work) enter(n promotion.Number, state promotion.State, r promotion.Reason) *promotion.Promotion {
	p := w.change(n)
	p.State, p.Reason = state, r
	w.log(p, r)
	return p
}

// opened records that a promotion's pull request is open.
func (w *work) opened(n promotion.Number) {
	w.enter(n, promotion.WaitingForMerge, promotion.Reason{})
}

// merged records that a promotion's pull request is merged. The freight it replaces leaves the stage, and the promotion
// is verifying from the same moment on. What must not be undone by automation holds the stage.
func (w *work) merged(n promotion.Number, pull *promotion.Pull, a promotion.Attempt) {
	p := w.change(n)
	p.State, p.Reason, p.Merged, p.MergeSHA = promotion.Verifying, promotion.Reason{}, pull.MergedAt, pull.MergeSHA
	p.Rollout = new(rollout.StepMerged(*p.Rollout))
	w.out.Log = append(w.out.Log, promotion.Entry{At: w.now, Stage: p.Stage, Promotion: n, State: promotion.Verifying, SHA: pull.MergeSHA, By: pull.By})
	w.bring(p, promotion.Stay{
		Promotion: n, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight,
		Entered: pull.MergedAt, Since: pull.MergedAt, Commit: pull.MergeSHA, Plan: a.PlanHash(), Wrote: a.Wrote(pull),
	}, a.Paths())
	w.pin(p)
}

// pin holds the stage when automation must not undo what has just arrived (Q11, Q12). In a rollout nothing else can
// start while targets are still to come, and the hold would stop what it protects.
func (w *work) pin(p *promotion.Promotion) {
	if p.Pins && !p.Rolls() {
		w.holdOnce(w.whyPinned(p), p.Number)
	}
}

// pinRollout is pin for a rollout that has ended.
func (w *work) pinRollout(p *promotion.Promotion) {
	if p.Pins && p.Rolls() {
		w.holdOnce(w.whyPinned(p), p.Number)
	}
}

// whyPinned is whose wish automation must not undo: somebody's, or that of the pipeline file, which wants what failed undone.
func (w *work) whyPinned(p *promotion.Promotion) promotion.Reason {
	if failed := w.Promotion(p.Cause); p.By.Bot() && failed != nil {
		return failed.Reason
	}
	return promotion.Because(promotion.Asked, string(p.By.Login))
}

// unchanged records that the files already say what the promotion would write (semantics 1.5). It takes over the
// verdict and the commits of the stay that wrote them; without one the signals on the base head are judged.
func (w *work) unchanged(n promotion.Number, plan *promotion.Plan) {
	if len(w.Promotion(n).Rollout.Targets) == 0 {
		w.goOn(n) // none of the step's targets can take part yet
		return
	}
	p := w.change(n)
	p.State, p.Reason, p.Merged, p.MergeSHA = promotion.Verifying, promotion.Because(promotion.NoChange), w.now, plan.Base
	w.log(p, p.Reason)
	stay := promotion.Stay{
		Promotion: n, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight,
		Entered: w.now, Commit: plan.Base, Plan: plan.Hash, Wrote: plan.Values,
	}
	if i := w.writer(plan.Hash); i >= 0 {
		by := w.Stays[i]
		stay.Verdict, stay.Judged, stay.Cause, stay.JudgedBy = by.Verdict, by.Judged, by.Cause, by.JudgedBy
		stay.Commit, stay.Since = by.Commit, by.Since
		stay.Parts = writtenBefore(p, by.Parts)
	}
	w.bring(p, stay, nil)
	w.pin(p)
}

// writtenBefore returns the part of a stage that is one place as an earlier promotion left it, which wrote the same.
func writtenBefore(p *promotion.Promotion, parts []promotion.Part) []promotion.Part {
	if p.Rolls() {
		return nil
	}
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Step = p.Rollout.Step
	}
	return parts
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
func (w *work) leave(warehouse promotion.WarehouseName, at time.Time) {
	if i := w.Hosted(warehouse); i >= 0 {
		w.ownStays()
		w.Stays[i].Left = at
		w.saveStay(i)
	}
}

// arrive begins a stay. Whether what was read of the files says anything of it, only the next snapshot knows.
func (w *work) arrive(s promotion.Stay) {
	w.Readings = nil
	w.ownStays()
	w.Stays = append(w.Stays, s)
	w.saveStay(len(w.Stays) - 1)
}

// bring begins the stay of what a merge has brought, or adds to it what a further step has. moved says which files have
// been written: a target whose files said so already keeps the verdict that it was given for the same freight.
func (w *work) bring(p *promotion.Promotion, s promotion.Stay, moved []string) {
	if s.Parts == nil {
		s.Parts = rollout.Updated(&w.Snapshot, p, &s, moved)
	}
	if p.Rolls() {
		w.useUp(p)
		s.Short, s.Plan = true, ""
	}
	i := w.StayOf(p.Number)
	if i < 0 {
		kept := rollout.KeptBeside(&w.Snapshot, p)
		s.Parts, s.Wrote = append(kept, s.Parts...), append(rollout.Written(&w.Snapshot, p, kept), s.Wrote...)
		w.leave(p.Warehouse, s.Entered)
		w.arrive(s)
		return
	}
	w.Readings = nil
	w.ownStays()
	stay := &w.Stays[i]
	stay.Commit = s.Commit
	stay.Parts = append(stay.Parts[:len(stay.Parts):len(stay.Parts)], s.Parts...)
	stay.Wrote = append(stay.Wrote[:len(stay.Wrote):len(stay.Wrote)], s.Wrote...)
	w.saveStay(i)
}

// end moves a promotion to a final state.
func (w *work) end(n promotion.Number, state promotion.State, r promotion.Reason) *promotion.Promotion {
	p := w.change(n)
	p.State, p.Reason, p.Ended = state, r, w.now
	w.log(p, r)
	if state != promotion.Succeeded && state != promotion.VerificationFailed && w.StayOf(n) >= 0 {
		w.pinRollout(p) // it is left halfway, and what it has brought stays
	}
	if state == promotion.Failed || state == promotion.VerificationFailed {
		w.tell(p, string(state), r)
	}
	return p
}

// withdraw ends a promotion that has not been merged, and closes its pull request if it may have one.
func (w *work) withdraw(n promotion.Number, state promotion.State, r promotion.Reason) {
	started := w.Promotion(n).State != promotion.Queued
	p := w.end(n, state, r)
	if started {
		w.close(p.Number, r)
	}
}

// close owes the end of a promotion's pull request.
func (w *work) close(n promotion.Number, r promotion.Reason) {
	w.out.Effects = append(w.out.Effects, promotion.Effect{Verb: promotion.Close, Stage: w.Stage.Name, Promotion: n, Step: w.Promotion(n).Step(), Reason: r})
}

// tell owes a comment on the freight's source pull request.
func (w *work) tell(p *promotion.Promotion, outcome string, r promotion.Reason) {
	w.out.Effects = append(w.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: p.Stage, Promotion: p.Number, Freight: p.Freight, Outcome: outcome, Reason: r,
	})
}

// log says which state a promotion has entered, and why.
func (w *work) log(p *promotion.Promotion, r promotion.Reason) {
	w.out.Log = append(w.out.Log, promotion.Entry{At: w.now, Stage: p.Stage, Promotion: p.Number, State: p.State, Reason: r, By: p.By})
}

// add queues a new promotion.
func (w *work) add(p promotion.Promotion) promotion.Number {
	p.Number, p.Place, p.Stage, p.State, p.Queued = w.Next, w.NextPlace, w.Stage.Name, promotion.Queued, w.now
	w.Next, w.NextPlace = w.Next+1, w.NextPlace+1
	w.moved = true
	if !w.copied {
		w.Promotions, w.copied = append([]promotion.Promotion(nil), w.Promotions...), true
	}
	w.Promotions = append(w.Promotions, p)
	w.changed = append(w.changed, p.Number)
	w.log(&p, promotion.Reason{})
	return p.Number
}

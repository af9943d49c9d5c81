package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// depart starts a promotion. The batches are from now on those that the pipeline file has.
func (w *work) depart(n promotion.Number) {
	p := w.change(n)
	p.Started, p.Rollout = w.now, new(rollout.Begin(&w.Snapshot, p))
	w.goOn(n)
}

// take begins the step that the progress of a promotion says. A stage that is one place has its plan already, by which
// there may be nothing to write.
func (w *work) take(n promotion.Number) {
	p := w.Promotion(n)
	if plan := w.Attempt(n).Plan; !p.Rolls() && len(plan.Paths) == 0 {
		w.unchanged(n, plan)
		return
	}
	if !p.Rolls() {
		w.enter(n, promotion.Running, promotion.Reason{})
		return
	}
	takes := append([]string{p.Rollout.BatchName()}, promotion.Texts(p.Rollout.Targets)...)
	w.enter(n, promotion.Running, promotion.Because(promotion.Rolling, takes...))
}

// useUp ends the sign-offs of what a step has merged: they are not of the next, and nobody needs to be told.
func (w *work) useUp(p *promotion.Promotion) {
	for _, a := range w.Approvals {
		if a.Kind == promotion.SignOff && a.Freight == p.Freight && a.Revoked.IsZero() {
			a.Revoked = w.now
			w.saveApproval(a)
		}
	}
}

// leaveOut takes those targets out of a step that cannot take part yet, as its plan has found, and returns the
// promotion.
func (w *work) leaveOut(p *promotion.Promotion, plan *promotion.Plan) *promotion.Promotion {
	if plan == nil || !slices.ContainsFunc(p.Rollout.Targets, plan.Lacks) {
		return p
	}
	p = w.change(p.Number)
	p.Rollout = new(rollout.LeaveOut(*p.Rollout, plan.Lacks))
	return p
}

// beginAgain leaves a step that is not merged because some of its targets must not be updated any more: its pull request
// is closed, and the others get another one.
func (w *work) beginAgain(n promotion.Number, a promotion.Attempt, why promotion.Reason) {
	if a.Plan != nil {
		w.close(n, why)
	}
	p := w.change(n)
	r := *p.Rollout
	r.Targets = nil // nothing has been brought to them
	p.Rollout = &r
	w.goOn(n)
}

// goOn takes the next step of a rollout, leaves it at what it has brought until that may begin, or ends it.
func (w *work) goOn(n promotion.Number) {
	next := rollout.After(&w.Snapshot, w.Promotion(n), gates(w.gate()), w.now)
	w.wakeAt(next.Until)
	if next.Progress != nil {
		w.change(n).Rollout = next.Progress
	}
	switch next.Kind {
	case rollout.Begins:
		w.take(n)
	case rollout.Asks:
		w.expect(outlook{probes: n})
		w.keepVerifying(n)
	case rollout.Finishes:
		w.finish(w.StayOf(n), w.Promotion(n))
	case rollout.Stands:
		w.nothingToBring(w.Promotion(n))
	case rollout.Ends:
		w.end(n, next.State, next.Reason)
	case rollout.Rests, rollout.Halts, rollout.Awaits:
		w.keepVerifying(n)
	}
}

// keepVerifying leaves a rollout at what it has brought, until its next step may begin. The present one may have come to
// nothing, because none of its targets takes part any more.
func (w *work) keepVerifying(n promotion.Number) {
	if w.Promotion(n).State != promotion.Verifying {
		w.enter(n, promotion.Verifying, promotion.Reason{})
	}
}

// nothingToBring records that nothing is to be brought: the freight is everywhere already where its promotion goes.
func (w *work) nothingToBring(p *promotion.Promotion) {
	parts := rollout.PartsOf(&w.Snapshot, p)
	p = w.change(p.Number)
	p.State, p.Reason = promotion.Verifying, promotion.Because(promotion.NoChange)
	p.Merged, p.MergeSHA = w.now, parts[len(parts)-1].Commit
	w.log(p, p.Reason)
	w.bring(p, promotion.Stay{Promotion: p.Number, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight,
		Entered: w.now, Commit: p.MergeSHA}, nil)
}

// finish ends a rollout that has come to its end, or cannot go on. The freight is verified when every target that took
// part is (semantics 5.8), and in the stage when none is left that could. When more have failed than may, the rollout
// is undone, or a person decides what becomes of the stage (semantics 5.5).
func (w *work) finish(i int, p *promotion.Promotion) {
	w.ownStays()
	w.Stays[i].Short = rollout.Short(p.Rollout, w.Stage, w.Stays[i].Parts)
	o := verify.Sum(&w.Stays[i])
	if o.Verdict == promotion.Passed && w.Stays[i].Short {
		w.keepStay(i)
		w.end(p.Number, promotion.Succeeded, promotion.Reason{}) // it got where it was to go
		w.liftInconclusive(p.Number)
	} else {
		w.conclude(i, p, o)
	}
	switch failed := rollout.TooMany(w.Stage, w.Stays[i].Parts); {
	case failed && w.Stage.Beyond == promotion.BeyondRollsBack && w.undo(i):
		return
	case failed, o.Verdict == promotion.Bad && w.Stays[i].Short:
		w.holdOnce(o.Reason, p.Number)
	}
	w.pinRollout(w.Promotion(p.Number))
}

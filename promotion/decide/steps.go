package decide

import (
	"slices"
	"time"
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// depart starts a promotion. The batches are from now on those that the pipeline file has.
func (w *work) depart(n promotion.Number) {
	p := w.change(n)
	p.Started, p.Rollout = w.now, new(rollout.Begin(&w.Snapshot, p))
	if step, more := w.nextStep(p); more && len(step.Targets) > 0 {
		w.take(n, step)
		return
	}
	w.goOn(n)
}

// nextStep returns the step that comes behind the present one, as rollout.Next does.
func (w *work) nextStep(p *promotion.Promotion) (step promotion.Rollout, more bool) {
	return w.stepAfter(p, p.Rollout, rollout.PartsOf(&w.Snapshot, p))
}

// stepAfter returns the step that follows some progress of a promotion.
func (w *work) stepAfter(p *promotion.Promotion, r *promotion.Rollout, parts []promotion.Part) (step promotion.Rollout, more bool) {
	return rollout.Next(w.Stage, r, parts, p.GoesTo, func(t promotion.TargetName) bool {
		return w.gate().Unready(p, t)
	})
}

// take begins a step. A stage that is one place has its plan already, by which there may be nothing to write.
func (w *work) take(n promotion.Number, step promotion.Rollout) {
	p := w.change(n)
	p.Rollout = &step
	if plan := w.Attempt(n).Plan; !p.Rolls() && len(plan.Paths) == 0 {
		w.unchanged(n, plan)
		return
	}
	if !p.Rolls() {
		w.enter(n, promotion.Running, promotion.Reason{})
		return
	}
	w.enter(n, promotion.Running, promotion.Because(promotion.Rolling, append([]string{step.BatchName()}, promotion.Texts(step.Targets)...)...))
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

// leaveOut takes those targets out of a step that cannot take part yet, as its plan has found, and returns the promotion.
func (w *work) leaveOut(p *promotion.Promotion, plan *promotion.Plan) *promotion.Promotion {
	if plan == nil || !slices.ContainsFunc(p.Rollout.Targets, plan.Lacks) {
		return p
	}
	p = w.change(p.Number)
	p.Rollout = new(rollout.LeaveOut(*p.Rollout, plan.Lacks))
	return p
}

// mustLeave returns why a target must not be updated by a step that has it; the zero reason if it may.
func (w *work) mustLeave(p *promotion.Promotion, t promotion.TargetName) promotion.Reason {
	switch h := w.gate().HoldOn(t); {
	case w.Target(t) == nil:
		return promotion.Because(promotion.Removed, string(t))
	case slices.Contains(p.Rollout.Skipped, t):
		return promotion.Because(promotion.Skipped, string(t))
	case h != nil:
		return h.Because()
	}
	return promotion.Reason{}
}

// shrinks returns why the present step cannot go on with all of its targets; the zero reason if it can.
func (w *work) shrinks(p *promotion.Promotion) (why promotion.Reason) {
	for _, t := range p.Rollout.Targets {
		switch leaves := w.mustLeave(p, t); {
		case leaves.IsZero():
		case why.IsZero():
			why = leaves
		case why.Code == leaves.Code && why.Code != promotion.Held:
			why.Args = append(why.Args, leaves.Args...)
		}
	}
	return why
}

// beginAgain leaves a step that is not merged because some of its targets must not be updated any more: its pull request is
// closed, and the others get another one.
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

// goOn takes the next step of a rollout when the batch has rested and nothing stops it, or ends it when there is none.
func (w *work) goOn(n promotion.Number) {
	p, i := w.Promotion(n), w.StayOf(n)
	step, more := w.nextStep(p)
	rests, stops := w.restsUntil(p, &step), promotion.Reason{}
	if i >= 0 && (more || p.Rolls()) && !rests.After(w.now) {
		stops = w.note(w.gate().Halted(p))
		if stops.IsZero() && !w.knows(p, &step) {
			w.expect(outlook{probes: n})
			w.keepVerifying(n)
			return
		}
	}
	p = w.passOver(p, step, more)
	switch ends := !more || len(step.Targets) == 0; {
	case ends && i >= 0 && w.awaits(i):
		w.keepVerifying(n)
	case ends && i >= 0:
		w.finish(i, p)
	case ends && w.isThere(p):
		w.nothingToBring(p)
	case ends && len(p.Rollout.Waiting) > 0:
		w.end(n, promotion.Failed, promotion.Because(promotion.Unready, promotion.Texts(p.Rollout.Waiting)...))
	case ends:
		w.end(n, promotion.Cancelled, rollout.Emptied(p.Rollout))
	case rests.After(w.now):
		w.keepVerifying(n)
		w.wakeAt(rests)
	case stops.IsZero():
		w.take(n, step)
	default:
		w.keepVerifying(n)
	}
}

// isThere reports whether the freight is there already where a promotion goes. What could not take part in other stages catches up
// later; where targets are driven from outside nothing does, so that one that was asked for and has not got it is no success.
func (w *work) isThere(p *promotion.Promotion) bool {
	return slices.ContainsFunc(rollout.PartsOf(&w.Snapshot, p), func(part promotion.Part) bool { return !w.Stage.External || p.GoesTo(part.Target) })
}

// keepVerifying leaves a rollout at what it has brought, until its next step may begin. The present one may have come to nothing,
// because none of its targets takes part any more.
func (w *work) keepVerifying(n promotion.Number) {
	if w.Promotion(n).State != promotion.Verifying {
		w.enter(n, promotion.Verifying, promotion.Reason{})
	}
}

// knows reports whether enough is known of the targets that a rollout comes to in its next step.
func (w *work) knows(p *promotion.Promotion, next *promotion.Rollout) bool {
	return w.gate().Informed(p, next.Targets, next.Waiting[len(p.Rollout.Waiting):])
}

// awaits reports whether a target of a stay has no verdict yet.
func (w *work) awaits(i int) bool {
	return slices.ContainsFunc(w.Stays[i].Parts, func(p promotion.Part) bool { return p.Verdict == promotion.Pending && p.Step > 0 })
}

// passOver notes which targets the way to the next step has passed over: those that are gone, and at the end those that could
// not take part.
func (w *work) passOver(p *promotion.Promotion, step promotion.Rollout, more bool) *promotion.Promotion {
	after, changed := rollout.PassOver(*p.Rollout, &step, more)
	if !changed {
		return p
	}
	p = w.change(p.Number)
	p.Rollout = &after
	return p
}

// restsUntil returns until when the batch that is done rests before the next begins; the zero time if it does not.
func (w *work) restsUntil(p *promotion.Promotion, next *promotion.Rollout) time.Time {
	return rollout.RestsUntil(p.Rollout, next, rollout.PartsOf(&w.Snapshot, p))
}

// nothingToBring records that nothing is to be brought: the freight is everywhere already where its promotion goes.
func (w *work) nothingToBring(p *promotion.Promotion) {
	parts := rollout.PartsOf(&w.Snapshot, p)
	p = w.change(p.Number)
	p.State, p.Reason, p.Merged, p.MergeSHA = promotion.Verifying, promotion.Because(promotion.NoChange), w.now, parts[len(parts)-1].Commit
	w.log(p, p.Reason)
	w.bring(p, promotion.Stay{Promotion: p.Number, Stage: p.Stage, Warehouse: p.Warehouse, Freight: p.Freight, Entered: w.now, Commit: p.MergeSHA}, nil)
}

// finish ends a rollout that has come to its end, or cannot go on. The freight is verified when every target that took
// part is (semantics 5.8), and in the stage when none is left that could. When more have failed than may, the rollout is
// undone, or a person decides what becomes of the stage (semantics 5.5).
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

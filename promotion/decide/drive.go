package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// obeyPause stops the rollout that runs where it is.
func (w *work) obeyPause(r promotion.Request) {
	switch p := w.Active(); {
	case p == nil || !p.Rolls():
		w.refuse(r, unknown(r, "rollout").With("nothing is rolled out now; /hold stops what comes"))
	case !p.Paused().IsZero():
		w.answer(r, promotion.Already, p.Number, p.Paused())
	default:
		w.pause(p.Number, r.By)
		w.done(r)
	}
}

// obeyResume lets the rollout go on.
func (w *work) obeyResume(r promotion.Request) {
	p := w.Active()
	if p == nil || p.Paused().IsZero() {
		w.already(r)
		return
	}
	w.pause(p.Number, promotion.Actor{})
	w.done(r)
}

// pause notes who has paused a rollout; the zero actor lets it go on.
func (w *work) pause(n promotion.Number, by promotion.Actor) {
	p := w.change(n)
	r := *p.Rollout
	r.Paused = by
	p.Rollout = &r
}

// obeySkip leaves a target out of the rollout that runs.
func (w *work) obeySkip(r promotion.Request) {
	p, t := w.Active(), r.Command.Target
	if p == nil || !p.Rolls() {
		w.refuse(r, unknown(r, "rollout").With("nothing is rolled out now"))
		return
	}
	brought := slices.ContainsFunc(rollout.PartsOf(&w.Snapshot, p), func(part promotion.Part) bool { return part.Target == t })
	switch state := w.stateIn(p, t); {
	case state == promotion.TargetSkipped:
		w.already(r)
	case brought && state == promotion.TargetUpdating:
		w.refuse(r, behind(p).With("it is merged already; /cancel ends the rollout"))
	case brought:
		w.refuse(r, promotion.Because(promotion.Malformed).With(string(t)+" is "+string(state)+" already; /retry takes up what has failed"))
	default:
		w.skip(p.Number, t)
		w.done(r)
	}
}

// stateIn returns how a target stands in a promotion; "" if it is no target of it.
func (w *work) stateIn(p *promotion.Promotion, t promotion.TargetName) promotion.TargetState {
	for _, at := range rollout.Status(&w.Snapshot, p) {
		if at.Target == t {
			return at.State
		}
	}
	return ""
}

// skip leaves a target out. One that waits does not catch up either.
func (w *work) skip(n promotion.Number, t promotion.TargetName) {
	p := w.change(n)
	p.Rollout = new(rollout.Skip(*p.Rollout, t))
}

// obeyPromoteTarget moves one target, in a promotion of its own or as part of one that goes to some targets already.
func (w *work) obeyPromoteTarget(r promotion.Request, f *promotion.Freight) {
	t := r.Command.Target
	open := w.open(f.ID)
	unavailable, _ := w.gate().Unavailable(w.FreightAt(f.ID))
	switch {
	case open != nil && open.GoesTo(t):
		w.queuedAlready(r, open.Number)
	case open != nil:
		w.widen(open, append(slices.Clip(open.Only), t))
		w.queued(r, open.Number)
	case w.standsIn(t, f):
		w.already(r)
	case !unavailable.IsZero():
		w.refuse(r, unavailable)
	case !w.spent(f).IsZero():
		w.refuse(r, w.spent(f))
	default:
		n := w.promoteByHand(r, f)
		w.change(n).Only = []promotion.TargetName{t}
		w.queued(r, n)
	}
}

// widen lets a promotion go to more targets; none: to all. What is bad of those that it has passed over is brought again.
func (w *work) widen(p *promotion.Promotion, only []promotion.TargetName) {
	p = w.change(p.Number)
	p.Only = only
	if p.Rollout != nil {
		p.Rollout = new(rollout.Readmit(*p.Rollout, p.GoesTo))
	}
	again := func(part promotion.Part) bool {
		return part.Step == 0 && part.Verdict == promotion.Bad && p.GoesTo(part.Target)
	}
	if i := w.StayOf(p.Number); i >= 0 && slices.ContainsFunc(w.Stays[i].Parts, again) {
		w.ownStays()
		w.Stays[i].Parts = slices.DeleteFunc(slices.Clone(w.Stays[i].Parts), again)
		w.keepStay(i)
	}
}

// standsIn reports whether a target has the freight already, and has not found it bad.
func (w *work) standsIn(t promotion.TargetName, f *promotion.Freight) bool {
	return slices.ContainsFunc(rollout.Brought(&w.Snapshot, f), func(part promotion.Part) bool { return part.Target == t && part.Verdict == promotion.Passed })
}

// spent returns why no further target may be moved to a freight, because as many have failed with it as may; the zero reason
// if one may.
func (w *work) spent(f *promotion.Freight) promotion.Reason {
	failed, why := 0, promotion.Reason{}
	for _, part := range rollout.Brought(&w.Snapshot, f) {
		if part.Verdict == promotion.Bad {
			failed, why = failed+1, part.Cause
		}
	}
	if w.Stage.Beyond == promotion.BeyondContinues || failed <= w.Stage.MaxFailures {
		return promotion.Reason{}
	}
	return why.With("no more targets may fail; /retry takes up what has failed")
}

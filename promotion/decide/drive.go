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
		w.refuse(r, promotion.Because(promotion.Unknown, "rollout").
			With("nothing is rolled out now; /hold stops what comes"))
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
		w.refuse(r, promotion.Because(promotion.Unknown, "rollout").With("nothing is rolled out now"))
		return
	}
	brought := rollout.HasBrought(&w.Snapshot, p, t)
	switch state := rollout.StateIn(&w.Snapshot, p, t); {
	case state == promotion.TargetSkipped:
		w.already(r)
	case brought && state == promotion.TargetUpdating:
		w.refuse(r, behind(p).With("it is merged already; /cancel ends the rollout"))
	case brought:
		is := string(t) + " is " + string(state) + " already; /retry takes up what has failed"
		w.refuse(r, promotion.Because(promotion.Malformed).With(is))
	default:
		w.skip(p.Number, t)
		w.done(r)
	}
}

// skip leaves a target out. One that waits does not catch up either.
func (w *work) skip(n promotion.Number, t promotion.TargetName) {
	p := w.change(n)
	p.Rollout = new(rollout.Skip(*p.Rollout, t))
}

// obeyPromoteTarget moves one target, in a promotion of its own or as part of one that goes to some targets already.
func (w *work) obeyPromoteTarget(r promotion.Request, f *promotion.Freight) {
	t := r.Command.Target
	open := w.OpenOf(f.ID)
	unavailable, _ := w.gate().Unavailable(w.FreightAt(f.ID))
	spent := rollout.Spent(&w.Snapshot, f)
	switch {
	case open != nil && open.GoesTo(t):
		w.queuedAlready(r, open.Number)
	case open != nil:
		w.widen(open, append(slices.Clip(open.Only), t))
		w.queued(r, open.Number)
	case rollout.StandsIn(&w.Snapshot, f, t):
		w.already(r)
	case !unavailable.IsZero():
		w.refuse(r, unavailable)
	case !spent.IsZero():
		w.refuse(r, spent)
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

package promotion

import "slices"

// What people do with a rollout while it runs (semantics 5.11). Holds outlast rollouts, pauses end with them.

// paused returns who has paused the rollout; the zero reason if nobody has.
func (p *Promotion) paused() Reason {
	if p.Rollout == nil || p.Rollout.Paused.Bot() {
		return Reason{}
	}
	return Because(Paused, string(p.Rollout.Paused.Login))
}

// stepMerged counts the merge of a step.
func (p *Promotion) stepMerged() {
	if p.Rollout == nil {
		return
	}
	r := *p.Rollout
	r.Merged++
	if !slices.Contains(r.Entered, r.Batch) {
		r.Entered = append(r.Entered[:len(r.Entered):len(r.Entered)], r.Batch)
	}
	p.Rollout = &r
}

// obeyPause stops the rollout that runs where it is.
func (w *work) obeyPause(r Request) {
	switch p := w.active(); {
	case p == nil || p.Rollout == nil:
		w.refuse(r, r.unknown("rollout").With("nothing is rolled out now; /hold stops what comes"))
	case !p.paused().IsZero():
		w.answer(r, Already, p.Number, p.paused())
	default:
		w.pause(p.Number, r.By)
		w.done(r)
	}
}

// obeyResume lets the rollout go on.
func (w *work) obeyResume(r Request) {
	p := w.active()
	if p == nil || p.paused().IsZero() {
		w.already(r)
		return
	}
	w.pause(p.Number, Actor{})
	w.done(r)
}

// pause notes who has paused a rollout; the zero actor lets it go on.
func (w *work) pause(n Number, by Actor) {
	p := w.change(n)
	rollout := *p.Rollout
	rollout.Paused = by
	p.Rollout = &rollout
}

// obeySkip leaves a target out of the rollout that runs.
func (w *work) obeySkip(r Request) {
	p, t := w.active(), r.Command.Target
	if p == nil || p.Rollout == nil {
		w.refuse(r, r.unknown("rollout").With("nothing is rolled out now"))
		return
	}
	brought := slices.ContainsFunc(w.partsOf(p), func(part Part) bool { return part.Target == t })
	switch state := w.stateIn(p, t); {
	case state == TargetSkipped:
		w.already(r)
	case brought && state == TargetUpdating:
		w.refuse(r, p.behind().With("it is merged already; /cancel ends the rollout"))
	case brought:
		w.refuse(r, Because(Malformed).With(string(t)+" is "+string(state)+" already; /retry takes up what has failed"))
	default:
		w.skip(p.Number, t)
		w.done(r)
	}
}

// stateIn returns how a target stands in a promotion; "" if it is no target of it.
func (w *work) stateIn(p *Promotion, t TargetName) TargetState {
	for _, at := range w.Targets(p) {
		if at.Target == t {
			return at.State
		}
	}
	return ""
}

// skip leaves a target out. One that waits does not catch up either.
func (w *work) skip(n Number, t TargetName) {
	p := w.change(n)
	r := *p.Rollout
	r.Skipped = with(r.Skipped, t)
	r.Waiting = slices.DeleteFunc(slices.Clone(r.Waiting), func(o TargetName) bool { return o == t })
	p.Rollout = &r
}

// obeyPromoteTarget moves one target, in a promotion of its own or as part of one that goes to some targets already.
func (w *work) obeyPromoteTarget(r Request, f *Freight) {
	t := r.Command.Target
	open := w.open(f.ID)
	switch {
	case open != nil && open.goesTo(t):
		w.queuedAlready(r, open.Number)
	case open != nil:
		w.widen(open, with(open.Only, t))
		w.queued(r, open.Number)
	case w.standsIn(t, f):
		w.already(r)
	case !w.available(w.freight(f.ID)):
		w.refuse(r, w.whyNotAvailable(w.freight(f.ID)))
	case !w.spent(f).IsZero():
		w.refuse(r, w.spent(f))
	default:
		n := w.promoteByHand(r, f)
		w.change(n).Only = []TargetName{t}
		w.queued(r, n)
	}
}

// widen lets a promotion go to more targets; none: to all. What is bad of those that it has passed over is brought again.
func (w *work) widen(p *Promotion, only []TargetName) {
	p = w.change(p.Number)
	p.Only = only
	if p.Rollout != nil {
		r := *p.Rollout
		r.Waiting = slices.DeleteFunc(slices.Clone(r.Waiting), p.goesTo)
		r.Skipped = slices.DeleteFunc(slices.Clone(r.Skipped), p.goesTo)
		p.Rollout = &r
	}
	again := func(part Part) bool { return part.Step == 0 && part.Verdict == Bad && p.goesTo(part.Target) }
	if i := w.stayOf(p.Number); i >= 0 && slices.ContainsFunc(w.Stays[i].Parts, again) {
		w.ownStays()
		w.Stays[i].Parts = slices.DeleteFunc(slices.Clone(w.Stays[i].Parts), again)
		w.keepStay(i)
	}
}

// standsIn reports whether a target has the freight already, and has not found it bad.
func (w *work) standsIn(t TargetName, f *Freight) bool {
	return slices.ContainsFunc(w.broughtTo(f), func(part Part) bool { return part.Target == t && part.Verdict == Passed })
}

// spent returns why no further target may be moved to a freight, because as many have failed with it as may; the zero reason
// if one may.
func (w *work) spent(f *Freight) Reason {
	failed, why := 0, Reason{}
	for _, part := range w.broughtTo(f) {
		if part.Verdict == Bad {
			failed, why = failed+1, part.Cause
		}
	}
	if w.Stage.Beyond == BeyondContinues || failed <= w.Stage.MaxFailures {
		return Reason{}
	}
	return why.With("no more targets may fail; /retry takes up what has failed")
}

// broughtTo returns the targets that a freight was brought to last, as to a promotion of it that goes nowhere.
func (w *work) broughtTo(f *Freight) []Part {
	const nowhere TargetName = ""
	return w.kept(&Promotion{Warehouse: f.Warehouse, Freight: f.ID, Only: []TargetName{nowhere}})
}

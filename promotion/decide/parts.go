package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

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

// judgeTargets judges the targets of a rollout one by one, those that are not decided and those that have failed, which may
// have been mended, and goes on when all are decided. Where each target has a pull request of its own, the next is opened as
// soon as there is a place.
func (w *work) judgeTargets(i int, p *promotion.Promotion) {
	w.forgetGone(i)
	rest := w.judgeParts(i, p)
	switch {
	case rollout.TooMany(w.Stage, w.Stays[i].Parts):
		w.breakOff(i, p)
	case p.State != promotion.Verifying: // the next step is on its way
	case rest.Verdict == promotion.Undecided:
		w.undecided(p, rest.Reason)
	case rest.Verdict == promotion.Passed:
		if p.Rolls() {
			w.liftInconclusive(p.Number) // it would stop the next step
		}
		w.goOn(p.Number)
	case w.Stage.PerTarget && w.hasPlace(p):
		w.goOn(p.Number)
	}
}

// hasPlace reports whether a further target of the present batch may be updated while others are verified.
func (w *work) hasPlace(p *promotion.Promotion) bool {
	step, _ := w.nextStep(p)
	return len(step.Targets) > 0 && !verify.ClockStopped(p)
}

// breakOff ends a rollout in which more targets have failed than may, and closes what is open. A commit that is being put on
// the branch is waited for.
func (w *work) breakOff(i int, p *promotion.Promotion) {
	if w.writing(p) {
		return
	}
	if p.State != promotion.Verifying && w.Attempt(p.Number).Plan != nil {
		w.close(p.Number, verify.Sum(&w.Stays[i]).Reason)
	}
	w.finish(i, p)
}

// judgeParts writes down what the signals say of each target, and returns what they say of those that are not decided.
func (w *work) judgeParts(i int, p *promotion.Promotion) verify.Opinion {
	rest := verify.Opinion{Verdict: promotion.Passed}
	var verifies *promotion.Promotion
	if p.State == promotion.Verifying {
		verifies = p
	}
	for k := range w.Stays[i].Parts {
		part := &w.Stays[i].Parts[k]
		if part.Verdict == promotion.Passed || part.Step == 0 || part.JudgedByPerson() || w.Target(part.Target) == nil {
			continue
		}
		o, until := w.judge().Part(&w.Stays[i], part, verifies, w.now)
		w.wakeAt(until)
		switch {
		case o.Decided() && o.Verdict != part.Verdict:
			w.recordPart(i, k, o)
		case part.Verdict == promotion.Pending:
			rest = rest.And(o)
		}
	}
	return rest
}

// forgetGone takes targets out of the i-th stay that the pipeline file has let go of before they had their verdict.
func (w *work) forgetGone(i int) {
	gone := func(part promotion.Part) bool {
		return part.Verdict == promotion.Pending && w.Target(part.Target) == nil
	}
	if slices.ContainsFunc(w.Stays[i].Parts, gone) {
		w.ownStays()
		w.Stays[i].Parts = slices.DeleteFunc(slices.Clone(w.Stays[i].Parts), gone)
		w.keepStay(i)
	}
}

// recordPart writes a verdict on a target.
func (w *work) recordPart(i, k int, o verify.Opinion) {
	w.ownStays()
	part := &w.Stays[i].Parts[k]
	part.Verdict, part.Judged, part.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		part.Judged = w.now
	}
	w.keepStay(i)
}

// judgeAgain judges the targets of freight whose promotion has ended: a new verdict counts for the stages downstream, what
// is merged stays, and a pending verification revokes nothing.
func (w *work) judgeAgain(i int) {
	for k := range w.Stays[i].Parts {
		part := &w.Stays[i].Parts[k]
		if part.Step == 0 || part.JudgedByPerson() || w.Target(part.Target) == nil {
			continue
		}
		if o, _ := w.judge().Part(&w.Stays[i], part, nil, w.now); o.Decided() && o.Verdict != part.Verdict {
			w.recordPart(i, k, o)
		}
	}
	o := verify.Sum(&w.Stays[i])
	if o.Decided() && o.Verdict != w.Stays[i].Verdict && (o.Verdict == promotion.Bad || !w.Stays[i].Short) {
		w.record(i, o)
	}
}

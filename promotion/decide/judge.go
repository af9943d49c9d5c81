package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// judgeAll judges what the stage hosts: the promotion that is verifying, and freight that has been judged before and
// has new signals. What has left the stage is judged no more.
func (w *work) judgeAll() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if stay.Ended() {
			continue
		}
		switch p := w.Promotion(stay.Promotion); {
		case p != nil && p.State.Active():
			w.judgeTargets(i, p)
		case p != nil && !p.State.Ended() || !stay.JudgedBy.Bot():
		default:
			w.judgeAgain(i)
		}
	}
}

// judgeTargets judges the targets of a rollout one by one, those that are not decided and those that have failed, which
// may have been mended, and goes on when all are decided. Where each target has a pull request of its own, the next is
// opened as soon as there is a place.
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
	case w.Stage.PerTarget && !verify.ClockStopped(p) && rollout.HasPlace(&w.Snapshot, p, gates(w.gate())):
		w.goOn(p.Number)
	}
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

// undecided holds the stage, once, until a person or a new signal decides (Q5). The promotion stays verifying.
func (w *work) undecided(p *promotion.Promotion, why promotion.Reason) {
	if verify.ClockStopped(p) {
		return
	}
	p = w.change(p.Number)
	p.Reason = why
	w.hold(why, p.Number)
	w.tell(p, string(why.Code), why)
}

// breakOff ends a rollout in which more targets have failed than may, and closes what is open. A commit that is being
// put on the branch is waited for.
func (w *work) breakOff(i int, p *promotion.Promotion) {
	if w.writing(p) {
		return
	}
	if p.State != promotion.Verifying && w.Attempt(p.Number).Plan != nil {
		w.close(p.Number, verify.Sum(&w.Stays[i]).Reason)
	}
	w.finish(i, p)
}

// judgeAgain judges the targets of freight whose promotion has ended: a new verdict counts for the stages downstream,
// what is merged stays, and a pending verification revokes nothing.
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

// conclude ends the verification of the i-th stay's promotion with a verdict.
func (w *work) conclude(i int, p *promotion.Promotion, o verify.Opinion) {
	w.record(i, o)
	n := p.Number
	if o.Verdict == promotion.Passed {
		w.end(n, promotion.Succeeded, o.Reason)
		w.liftInconclusive(n)
		return
	}
	w.end(n, promotion.VerificationFailed, o.Reason)
	w.afterFailure(w.Promotion(n), o.Reason)
	w.liftInconclusive(n)
}

// afterFailure deals with what waits behind a failed verification (Q4).
func (w *work) afterFailure(failed *promotion.Promotion, why promotion.Reason) {
	switch w.Stage.OnFailedVerification {
	case promotion.OnFailureContinue:
		return
	case promotion.OnFailureHold:
		w.hold(why, failed.Number)
		return
	}
	manual, args := false, append([]string{failed.Number.String()}, why.Args...)
	because := promotion.Because(promotion.BeforeFailed, args...).At(why.URL)
	for _, p := range w.Promotions {
		if p.State != promotion.Queued {
			continue
		}
		if p.Class == promotion.Automatic {
			w.end(p.Number, promotion.Cancelled, because)
			continue
		}
		manual = true
	}
	if manual {
		w.hold(why, failed.Number)
	}
}

// record writes a verdict on the i-th stay.
func (w *work) record(i int, o verify.Opinion) {
	w.ownStays()
	stay := &w.Stays[i]
	stay.Verdict, stay.Judged, stay.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		stay.Judged = w.now
	}
	w.saveStay(i)
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

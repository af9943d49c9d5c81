package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// judgeAll judges what the stage hosts: the promotion that is verifying, and freight that has been judged before and has
// new signals. What has left the stage is judged no more.
func (w *work) judgeAll() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if stay.Ended() {
			continue
		}
		switch p := w.Promotion(stay.Promotion); {
		case p != nil && p.State.Active() && p.Rollout != nil:
			w.judgeTargets(i, p)
		case p != nil && p.State == promotion.Verifying:
			w.judgeActive(i, p)
		case p != nil && !p.State.Ended() || !stay.JudgedBy.Bot():
		case len(stay.Parts) > 0:
			w.judgePartsAgain(i)
		default:
			w.judgeAgain(i)
		}
	}
}

// judgeActive judges the promotion that is verifying.
func (w *work) judgeActive(i int, p *promotion.Promotion) {
	if v := w.Stays[i].Verdict; v == promotion.Passed || v == promotion.Bad { // a promotion without change takes over what was found before
		w.conclude(i, p, verify.Opinion{Verdict: v, At: w.Stays[i].Judged, Reason: w.Stays[i].Cause})
		return
	}
	o, until := w.verdict(&w.Stays[i], p)
	w.wakeAt(until)
	switch o.Verdict {
	case promotion.Passed, promotion.Bad:
		w.conclude(i, p, o)
	case promotion.Undecided:
		w.undecided(p, o.Reason)
	}
}

// verdict is what all matchers of the stage say together: it passes when all pass, fails when one fails, and is
// inconclusive when one is and none fails (semantics 7.4). Without matchers it passes at once (Q14). It may be another one
// from until on without a signal, if p is being verified.
func (w *work) verdict(stay *promotion.Stay, p *promotion.Promotion) (all verify.Opinion, until time.Time) {
	all = verify.Opinion{Verdict: promotion.Passed, At: stay.Entered}
	for _, t := range w.judge.Trials(stay) {
		matchers := t.Matchers()
		for i := range matchers {
			o := w.judge.Opinion(&t, &matchers[i])
			if o.Verdict == promotion.Pending && p != nil && !w.clockStopped(p) {
				var due time.Time
				o, due = w.silence(p, p.Merged, &matchers[i], o.Seen)
				until = sooner(until, due)
			}
			all = all.And(o)
		}
	}
	if all.At.After(w.now) {
		all.At = w.now
	}
	return all, until
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

// afterFailure deals with what waits behind a failed verification (Q4).
func (w *work) afterFailure(failed *promotion.Promotion, why promotion.Reason) {
	switch w.Stage.OnFailedVerification {
	case promotion.OnFailureContinue:
		return
	case promotion.OnFailureHold:
		w.hold(why, failed.Number)
		return
	}
	manual := false
	because := promotion.Because(promotion.BeforeFailed, append([]string{failed.Number.String()}, why.Args...)...).At(why.URL)
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

// undecided holds the stage, once, until a person or a new signal decides (Q5). The promotion stays verifying.
func (w *work) undecided(p *promotion.Promotion, why promotion.Reason) {
	if w.clockStopped(p) {
		return
	}
	p = w.change(p.Number)
	p.Reason = why
	w.hold(why, p.Number)
	w.tell(p, string(why.Code), why)
}

// judgeAgain looks at the signals of freight that was judged before: a new verdict counts for the stages downstream,
// what is merged stays, and a pending re-verification revokes nothing.
func (w *work) judgeAgain(i int) {
	stay := &w.Stays[i]
	o, _ := w.verdict(stay, nil) // silence judges nothing any more
	if (o.Verdict == promotion.Passed || o.Verdict == promotion.Bad) && o.Verdict != stay.Verdict {
		w.record(i, o)
	}
}

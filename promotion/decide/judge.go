package decide

import (
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
		case p != nil && p.State.Active():
			w.judgeTargets(i, p)
		case p != nil && !p.State.Ended() || !stay.JudgedBy.Bot():
		default:
			w.judgeAgain(i)
		}
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
	if verify.ClockStopped(p) {
		return
	}
	p = w.change(p.Number)
	p.Reason = why
	w.hold(why, p.Number)
	w.tell(p, string(why.Code), why)
}

package decide

import (
	"waybill/promotion"
	"waybill/promotion/verify"
)

// conclude ends the verification of the i-th deployment's promotion with a verdict.
func conclude(d *draft, i int, p *promotion.Promotion, o verify.Opinion) {
	d.record(i, o)
	n := p.Number
	if o.Verdict == promotion.Passed {
		d.end(n, promotion.Succeeded, o.Reason)
		d.liftInconclusive(n)
		return
	}
	d.end(n, promotion.VerificationFailed, o.Reason)
	afterFailure(d, d.Promotion(n), o.Reason)
	d.liftInconclusive(n)
}

// afterFailure handles the promotions that wait behind a failed verification (Q4).
func afterFailure(d *draft, failed *promotion.Promotion, why promotion.Reason) {
	switch d.Stage.OnFailedVerification {
	case promotion.OnFailureContinue:
		return
	case promotion.OnFailureHold:
		d.hold(why, failed.Number)
		return
	}
	manual, args := false, append([]string{failed.Number.String()}, why.Args...)
	because := promotion.Because(promotion.BeforeFailed, args...).At(why.URL)
	for _, p := range d.Promotions {
		if p.State != promotion.Queued {
			continue
		}
		if p.Class == promotion.Automatic {
			d.end(p.Number, promotion.Cancelled, because)
			continue
		}
		manual = true
	}
	if manual {
		d.hold(why, failed.Number)
	}
}

// undecided holds the stage, once, until a person or a new signal decides (Q5). The promotion stays verifying.
func undecided(d *draft, p *promotion.Promotion, why promotion.Reason) {
	if verify.ClockStopped(p) {
		return
	}
	p = d.change(p.Number)
	p.Reason = why
	d.hold(why, p.Number)
	d.tell(p, string(why.Code), why)
}

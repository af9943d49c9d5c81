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

// afterFailure handles the promotions that wait behind a failed verification (Q4). Those of other warehouses stay in
// the queue: see behindFailure.
func afterFailure(d *draft, failed *promotion.Promotion, why promotion.Reason) {
	switch d.Stage.OnFailedVerification {
	case promotion.OnFailureContinue:
		return
	case promotion.OnFailureHold:
		d.holdFreight(why, failed)
		return
	}
	manual, args := false, append([]string{failed.Number.String()}, why.Args...)
	because := promotion.Because(promotion.BeforeFailed, args...).At(why.URL)
	for _, p := range d.Promotions {
		switch {
		case p.State != promotion.Queued, p.Freight.Warehouse != failed.Freight.Warehouse:
		case p.Class != promotion.Automatic:
			manual = true
		default:
			d.end(p.Number, promotion.Cancelled, because)
		}
	}
	if manual {
		d.holdFreight(why, failed)
	}
}

// behindFailure returns why an automatic promotion waits: the stage hosts freight of another warehouse that failed its
// verification there, and nothing else has been verified on top of it. It goes on when that freight is verified or
// replaced, or when a person asks for it.
func behindFailure(s *promotion.Snapshot, p *promotion.Promotion) promotion.Reason {
	if p.Class != promotion.Automatic || !p.BringsNew() || s.Stage.OnFailedVerification == promotion.OnFailureContinue {
		return promotion.Reason{}
	}
	var why promotion.Reason
	for i := range s.Deployments { // by the time they began
		host := &s.Deployments[i]
		by := s.Promotion(host.Promotion)
		switch {
		case host.Ended():
		case host.Verdict == promotion.Passed:
			why = promotion.Reason{}
		case host.Warehouse == p.Freight.Warehouse:
		case host.Verdict == promotion.Bad && by != nil && by.State == promotion.VerificationFailed:
			args := []string{by.Number.String()}
			if host.Cause.Code != promotion.Waiting { // that has not failed
				args = append(args, host.Cause.Args...)
			}
			why = promotion.Because(promotion.BeforeFailed, args...).At(host.Cause.URL)
		}
	}
	return why
}

// undecided holds the stage until a person decides, or nothing is unclear any more (Q5). The hold names what is unclear
// now; people are told the first time. The promotion stays verifying.
func undecided(d *draft, p *promotion.Promotion, why promotion.Reason) {
	if verify.ClockStopped(p) && why.Is(p.Reason) {
		return
	}
	told := wasUnclear(p)
	d.liftUnclear(p.Number)
	p = d.change(p.Number)
	r := progress(p)
	r.WroteNothing = p.WroteNothing()
	p.Rollout, p.Reason = &r, why
	d.holdStage(why, p.Number)
	if !told {
		d.tell(p, string(why.Code), why)
	}
}

// resume goes on with a verification about which nothing is unclear any more: the deadlines of what is left begin anew,
// because those of the merge may be over, and the bot's hold is lifted (Q5).
func resume(d *draft, p *promotion.Promotion) {
	p = d.change(p.Number)
	r := progress(p)
	r.WroteNothing, r.Resumed, r.Unclear = false, d.now, true
	p.Reason = promotion.Reason{}
	if p.WroteNothing() {
		p.Reason = promotion.Because(promotion.NoChange)
	}
	p.Rollout = &r
	d.liftInconclusive(p.Number)
}

// wasUnclear reports whether what a promotion merged last is inconclusive, or has been.
func wasUnclear(p *promotion.Promotion) bool {
	return verify.ClockStopped(p) || progress(p).Unclear
}

// progress returns a copy of the progress of a promotion. Rows of early versions have none.
func progress(p *promotion.Promotion) promotion.Rollout {
	if p.Rollout == nil {
		return promotion.Rollout{}
	}
	return *p.Rollout
}

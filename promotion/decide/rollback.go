package decide

import (
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"
)

// obeyRollback takes the stage back to freight that was verified in the stage before (Q11). It pre-empts: the running
// promotion is ended first. It passes the bot's holds but not a person's, which the refusal names. When it is merged
// the bot holds the stage. It may be of one target: then the others stay as they are.
func obeyRollback(d *draft, r promotion.Request) {
	only, of := onlyTo(r), command.BackBelow(&d.Snapshot, r)
	if p := d.RollingBack(); p != nil && r.Command.Freight == "" && goesAsFar(p, only) &&
		(of == "" || p.Freight.Warehouse == of) {
		if why, _ := d.gate().Barred(p); why.IsZero() {
			d.again(r, p) // who wants to go back further says so
			return
		}
	}
	i, why := command.RollbackTo(&d.Snapshot, r, d.Judgeable())
	switch {
	case i >= 0:
		rollBack(d, r, i, promotion.Promotion{By: r.By, Only: only})
	case why.Code == promotion.Already:
		d.already(r)
	default:
		d.refuse(r, why)
	}
}

// onlyTo returns the target that a request names, as those that a promotion is to update; none: all.
func onlyTo(r promotion.Request) []promotion.TargetName {
	if r.Command.Target == "" {
		return nil
	}
	return []promotion.TargetName{r.Command.Target}
}

// goesAsFar reports whether a promotion goes to some targets; none: to all.
func goesAsFar(p *promotion.Promotion, targets []promotion.TargetName) bool {
	if len(targets) == 0 {
		return len(p.Only) == 0
	}
	return !slices.ContainsFunc(targets, func(t promotion.TargetName) bool { return !p.GoesTo(t) })
}

// elsewhere reports whether a promotion is a rollback of some targets, and goes to none of these: it is not ended for
// them.
func elsewhere(p *promotion.Promotion, targets []promotion.TargetName) bool {
	return p.GoesPartlyBack() && len(targets) > 0 && !slices.ContainsFunc(targets, p.GoesTo)
}

// rollBack queues a rollback to the i-th freight. Its cause is the promotion that it pre-empts, or the one that is
// given. A rollback to this freight that goes to other targets only goes to these, too.
func rollBack(d *draft, r promotion.Request, i int, back promotion.Promotion) {
	f := d.Freight[i]
	if h := allHeld(d, back.Only); h != nil {
		d.refuse(r, h.Because())
		return
	}
	if p := d.OpenOf(f.ID); p != nil && p.Class == promotion.Rollback {
		if goesAsFar(p, back.Only) {
			d.again(r, p)
			return
		}
		if len(back.Only) > 0 {
			back.Only = append(slices.Clip(p.Only), back.Only...)
		}
		extend(d, r, p, back.Only)
		return
	}
	if h := d.gate().Hold(d.Stage.Name, f.Warehouse); h != nil && !h.By.Bot() {
		d.refuse(r, h.Because())
		return
	}
	if f, _ := d.Stage.Frozen(promotion.Rollback, d.now); f != nil {
		d.refuse(r, f.Because()) // the running promotion is not ended for one that would only wait
		return
	}
	if p := d.Active(); p != nil && !elsewhere(p, back.Only) {
		back.Cause = p.Number
		preempt(d, p, r, promotion.Because(promotion.Inconclusive))
	}
	d.queued(r, d.goBack(&f, back, asked(r)))
}

// allHeld returns the hold on the first of some targets if each of them is held; nil if one is not, or there are none.
func allHeld(d *draft, targets []promotion.TargetName) *promotion.Hold {
	if len(targets) == 0 || slices.ContainsFunc(targets, func(t promotion.TargetName) bool {
		return d.gate().HoldOn(t) == nil
	}) {
		return nil
	}
	return d.gate().HoldOn(targets[0])
}

// preempt ends the running promotion: cancelled as asked if it is not merged, inconclusive for the given reason if it
// verifies. Of a rollout both may be so: its merges stay, unverified.
func preempt(d *draft, p *promotion.Promotion, r promotion.Request, verifying promotion.Reason) {
	n, merged := p.Number, p.State == promotion.Verifying
	if i := d.DeploymentOf(n); i >= 0 {
		d.record(i, verify.Opinion{Verdict: promotion.Undecided, At: d.now, Reason: asked(r)})
	}
	if !merged {
		d.withdraw(n, promotion.Cancelled, asked(r))
		return
	}
	d.end(n, promotion.Cancelled, verifying)
}

// backFrom returns the name of the freight that a rollback from a deployment goes to; empty if there is none.
func backFrom(s *promotion.Snapshot, deployment int) string {
	if to, _ := command.RollbackTo(s, promotion.Request{}, deployment); to >= 0 {
		return s.Freight[to].Name
	}
	return ""
}

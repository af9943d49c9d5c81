package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"
)

// obeyRollback takes the stage back to freight that was verified in the stage before (Q11). It pre-empts: the running
// promotion is ended first. It passes the bot's holds but not a person's, which the refusal names. When it is merged
// the bot holds the stage.
func obeyRollback(d *draft, r promotion.Request) {
	if p := d.RollingBack(); p != nil && r.Command.Freight == "" {
		if why, _ := d.gate().Barred(p); why.IsZero() {
			d.queuedAlready(r, p.Number) // who wants to go back further says so
			return
		}
	}
	i, why := command.RollbackTo(&d.Snapshot, r, verify.Judgeable(&d.Snapshot))
	switch {
	case i >= 0:
		rollBack(d, r, i, 0)
	case why.Code == promotion.Already:
		d.already(r)
	default:
		d.refuse(r, why)
	}
}

// rollBack queues a rollback to the i-th freight, because of the promotion that it pre-empts or of the one that is
// given.
func rollBack(d *draft, r promotion.Request, i int, cause promotion.Number) {
	f := d.Freight[i]
	if p := d.OpenOf(f.ID); p != nil && p.Class == promotion.Rollback {
		d.queuedAlready(r, p.Number)
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
	if p := d.Active(); p != nil {
		cause = p.Number
		preempt(d, p, r, promotion.Because(promotion.Inconclusive))
	}
	d.queued(r, d.goBack(&f, promotion.Promotion{By: r.By, Cause: cause}, asked(r)))
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

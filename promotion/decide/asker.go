package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// disown ends a promotion of which nothing is on GitHub, because who asked for it may not any more. People are told.
func (d *draft) disown(p *promotion.Promotion, why promotion.Reason) {
	n := p.Number
	d.withdraw(n, promotion.Cancelled, why)
	d.tell(d.Promotion(n), string(promotion.Cancelled), why)
}

// disownBegun ends a rollout that has started and planned nothing yet: who asked for it is looked up before its first
// plan.
func disownBegun(d *draft) {
	p := d.Active()
	if p == nil || p.State != promotion.Running || d.Attempt(p.Number).Plan != nil || d.DeploymentOf(p.Number) >= 0 {
		return
	}
	if why, until := d.gate().Disowned(p); !why.IsZero() && until.IsZero() {
		d.disown(p, why)
	}
}

// takeOver makes a promotion that is disowned that of the person who makes a request, if they may have asked for it,
// and reports whether it did. They are the requester from now on, so that a sign-off of theirs counts no more where the
// requester's does not.
func (d *draft) takeOver(r promotion.Request, n promotion.Number) bool {
	p := d.Promotion(n)
	why, _ := d.gate().Disowned(p)
	if why.IsZero() || !command.MayNotAsk(d.Pipeline.Policy, p, r.Permission, r.Teams).IsZero() {
		return false
	}
	p = d.change(n)
	p.By = r.By
	d.out.Log = append(d.out.Log, promotion.Entry{At: d.now, Stage: p.Stage, Promotion: n, Class: p.Class, By: r.By})
	if command.LeavesOut(d.Pipeline.Policy, promotion.CmdApprove, p.Stage, "requester") {
		d.takeBack(p, r.By)
	}
	return true
}

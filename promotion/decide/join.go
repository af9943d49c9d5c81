package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// extend lets an open promotion go to more targets; none: to all. Whoever asks must have the right to have asked for it
// as it is: a rollback passes what a promotion does not.
func extend(d *draft, r promotion.Request, p *promotion.Promotion, targets []promotion.TargetName) {
	if why := command.MayNotAsk(d.Pipeline.Policy, p, r.Permission, r.Teams); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	n := p.Number
	d.takeOver(r, n)
	widen(d, d.Promotion(n), targets)
	d.queued(r, n)
}

// again answers that a promotion is open already, or takes it over.
func (d *draft) again(r promotion.Request, p *promotion.Promotion) {
	if d.takeOver(r, p.Number) {
		d.queued(r, p.Number)
		return
	}
	d.queuedAlready(r, p.Number)
}

// insist makes a queued automatic promotion a manual one, and takes one over that is disowned.
func insist(d *draft, r promotion.Request, p *promotion.Promotion) {
	if p.State != promotion.Queued || p.Class != promotion.Automatic {
		d.again(r, p)
		return
	}
	p = d.change(p.Number)
	p.Class, p.By = promotion.Manual, r.By
	d.out.Log = append(d.out.Log, promotion.Entry{At: d.now, Stage: p.Stage, Promotion: p.Number,
		Class: promotion.Manual, By: r.By})
	d.queued(r, p.Number)
}

package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/rollout"
)

// obeyPause stops the rollout that runs where it is.
func obeyPause(d *draft, r promotion.Request) {
	switch p := d.Active(); {
	case p == nil || !p.Rolls():
		d.refuse(r, promotion.Because(promotion.Unknown, "rollout").
			With("nothing is rolled out now; /hold stops what comes"))
	case !p.Paused().IsZero():
		d.answer(r, promotion.Already, p.Number, p.Paused())
	default:
		pause(d, p.Number, r.By)
		d.doneTo(r, p.Number)
	}
}

// obeyResume lets the rollout go on. It takes a promotion over whose asker has lost the right, if the person has it.
func obeyResume(d *draft, r promotion.Request) {
	p := d.Active()
	disowned := false
	if p != nil {
		why, _ := d.gate().Disowned(p)
		disowned = !why.IsZero()
	}
	if p == nil || p.Paused().IsZero() && !disowned {
		d.already(r)
		return
	}
	n := p.Number
	if disowned {
		if why := d.mayNotOwn(r, p); !why.IsZero() {
			d.refuse(r, why)
			return
		}
		d.takeOver(r, n)
	}
	if !d.Promotion(n).Paused().IsZero() {
		pause(d, n, promotion.Actor{})
	}
	d.doneTo(r, n)
}

// mayNotOwn returns why the person who makes a request could not have asked for a promotion; the zero reason if they
// could.
func (d *draft) mayNotOwn(r promotion.Request, p *promotion.Promotion) promotion.Reason {
	r.Command = promotion.Command{Verb: command.AsksFor(p), Stage: p.Stage, Freight: p.Freight.Name}
	return command.Refusal(&d.Snapshot, r)
}

// obeySkip leaves a target out of the rollout that runs.
func obeySkip(d *draft, r promotion.Request) {
	p, t := d.Active(), r.Command.Target
	if p == nil || !p.Rolls() {
		d.refuse(r, promotion.Because(promotion.Unknown, "rollout").With("nothing is rolled out now"))
		return
	}
	brought := rollout.HasBrought(&d.Snapshot, p, t)
	switch state := rollout.StateIn(&d.Snapshot, p, t); {
	case state == promotion.TargetSkipped:
		d.already(r)
	case brought && state == promotion.TargetUpdating:
		d.refuse(r, merged(p, string(t)).With("/cancel "+string(p.Stage)+" ends the rollout"))
	case brought:
		is := string(t) + " is " + string(state) + " already; /retry takes up what has failed"
		d.refuse(r, promotion.Because(promotion.Malformed).With(is))
	default:
		skip(d, p.Number, t)
		d.doneTo(r, p.Number)
	}
}

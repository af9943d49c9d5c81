package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyApprove signs off the pull request that is open, or takes a sign-off back.
func obeyApprove(d *draft, r promotion.Request) {
	p := d.Active()
	if p == nil || p.State != promotion.WaitingForMerge {
		d.refuse(r, promotion.Because(promotion.Unknown, "open promotion"))
		return
	}
	if why := command.Elsewhere(&d.Snapshot, r, p); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	if r.Command.Withdraw {
		unsign(d, r, p)
		return
	}
	if !shows(&d.Snapshot, p) {
		d.refuse(r, notShown(&d.Snapshot, p))
		return
	}
	if !d.gate().Saw(p, r) {
		d.refuse(r, command.OtherPlan(&d.Snapshot))
		return
	}
	if d.gate().HasSigned(p, r.By) {
		d.already(r)
		return
	}
	d.approve(promotion.Approval{Freight: p.Freight.ID, Kind: promotion.SignOff, By: r.By, Plan: d.gate().Visible(p)})
	d.doneTo(r, p.Number)
}

// notShown returns why the pull request of a promotion does not show what would be merged.
func notShown(s *promotion.Snapshot, p *promotion.Promotion) promotion.Reason {
	if _, c := wayOf(s, p); !c.Meddled().IsZero() {
		return c.Meddled()
	}
	return promotion.Because(promotion.PlanChanged).With("its commit is made anew; sign off the new one")
}

// unsign takes back what a person has signed off, whichever plan that is of. Who has asked for changes in a review has
// typed no command and gets no answer: the pull request tells everybody.
func unsign(d *draft, r promotion.Request, p *promotion.Promotion) {
	last := d.takeBack(p, r.By)
	if last == 0 {
		d.already(r)
		return
	}
	d.doneTo(r, p.Number)
	if r.Surface == "" { // the round of this comment is below zero: the comments about commits have theirs
		d.out.Effects = append(d.out.Effects, promotion.Effect{
			Verb: promotion.Tell, Stage: p.Stage, Promotion: p.Number, Round: -last, Freight: p.Freight.ID,
			Outcome: string(promotion.Void),
			Reason: promotion.Because(promotion.Void, string(r.By.Login)).With(
				string(r.By.Login) + " has asked for changes"),
		})
	}
}

// obeyDeny ends the promotion whose plan was visible.
func obeyDeny(d *draft, r promotion.Request) {
	p := d.Active()
	if p == nil || p.State == promotion.Verifying {
		d.refuse(r, promotion.Because(promotion.Unknown, "open promotion"))
		return
	}
	n := p.Number
	d.withdraw(n, promotion.Cancelled, asked(r))
	d.doneTo(r, n)
}

// obeyAdmit makes freight available that has not earned it.
func obeyAdmit(d *draft, r promotion.Request) {
	i, why := command.NamedFreight(&d.Snapshot, r)
	if i < 0 {
		d.refuse(r, why)
		return
	}
	f := d.Freight[i]
	if why := d.bars(r, &f); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	if _, takes := d.Stage.Source(f.Warehouse); !takes {
		d.refuse(r, promotion.Because(promotion.Unknown, f.Name))
		return
	}
	if why := d.gate().Incomplete(i); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	if d.gate().Available(i) {
		d.already(r)
		return
	}
	if why := d.gate().Rejected(i); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	d.approve(promotion.Approval{Freight: f.ID, Kind: promotion.Admission, By: r.By, Text: r.Command.Text})
	d.admission(promotion.EventAvailable, f.Name, r.By)
	d.done(r)
}

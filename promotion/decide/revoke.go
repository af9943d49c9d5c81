package decide

import (
	"waybill/promotion"
)

// revokeOutdated revokes the sign-offs of a commit that was made anew since, and says so once, where they were given. A
// commit that another person has pushed suspends them: they count again if it is undone. A sign-off that counts stops
// counting when it expires; the stage is decided again then.
func revokeOutdated(d *draft) {
	p := d.Active()
	if p == nil || p.State != promotion.WaitingForMerge || !shows(&d.Snapshot, p) {
		return
	}
	now, why := d.gate().Visible(p), promotion.Because(promotion.Void)
	for _, a := range d.Approvals {
		switch {
		case a.Kind != promotion.SignOff || a.Freight != p.Freight.ID || !a.Revoked.IsZero():
		case a.Plan != now:
			a.Revoked = d.now
			d.saveApproval(a)
			why.Args = append(why.Args, string(a.By.Login))
		case a.Expires.After(d.now):
			d.wakeAt(a.Expires)
		}
	}
	if len(why.Args) > 0 {
		d.out.Effects = append(d.out.Effects, promotion.Effect{
			Verb: promotion.Tell, Stage: p.Stage, Promotion: p.Number, Round: int64(d.Attempt(p.Number).Made.Round),
			Freight: p.Freight.ID,
			Outcome: string(promotion.Void), Reason: why,
		})
	}
}

// shows reports whether the pull request of a promotion shows the commit that would be merged: no other person has
// pushed to it, and it is not about to be made anew.
func shows(s *promotion.Snapshot, p *promotion.Promotion) bool {
	_, c := wayOf(s, p)
	a := c.Attempt
	return c.Pull != nil && c.Meddled().IsZero() && (a.Plan == nil || a.Plan.Round == a.Made.Round)
}

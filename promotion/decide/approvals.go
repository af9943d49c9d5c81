package decide

import (
	"slices"
	"time"

	"waybill/promotion"
)

// approvalLasts is how long a sign-off or an admission counts (semantics 4.5).
const approvalLasts = 24 * time.Hour

// approve records an approval.
func (d *draft) approve(a promotion.Approval) {
	a.ID, a.Stage, a.At, a.Expires, a.Entitled = d.NextID, d.Stage.Name, d.now, d.now.Add(approvalLasts), true
	d.NextID++
	d.wakeAt(a.Expires)
	d.Approvals = append(d.Approvals[:len(d.Approvals):len(d.Approvals)], a)
	d.out.Approvals = append(d.out.Approvals, a)
}

// saveApproval records an approval as it is now.
func (d *draft) saveApproval(a promotion.Approval) {
	d.moved = true
	d.Approvals = slices.Clone(d.Approvals)
	d.Approvals[slices.IndexFunc(d.Approvals, func(b promotion.Approval) bool { return b.ID == a.ID })] = a
	d.out.Approvals = append(d.out.Approvals, a)
}

// useUp ends the sign-offs of a step that is merged: they do not count for the next one, and no notice is due.
func (d *draft) useUp(p *promotion.Promotion) {
	for _, a := range d.Approvals {
		if a.Kind == promotion.SignOff && a.Freight == p.Freight.ID && a.Revoked.IsZero() {
			a.Revoked = d.now
			d.saveApproval(a)
		}
	}
}

// takeBack ends the sign-offs of a promotion that a person has given, and returns the id of the last one; 0 if there is
// none.
func (d *draft) takeBack(p *promotion.Promotion, by promotion.Actor) (last int64) {
	for _, a := range d.Approvals {
		if a.Kind == promotion.SignOff && a.Freight == p.Freight.ID && a.Revoked.IsZero() && a.By.Is(by) {
			a.Revoked, last = d.now, a.ID
			d.saveApproval(a)
		}
	}
	return last
}

// admission says that freight has been admitted, or that its admission has ended.
func (d *draft) admission(what promotion.Event, freight string, by promotion.Actor) {
	d.out.Log = append(d.out.Log,
		promotion.Entry{At: d.now, Stage: d.Stage.Name, Event: what, Freight: freight, By: by})
}

package decide

import (
	"slices"
	"time"
	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyApprove signs off the pull request that is open.
func (w *work) obeyApprove(r promotion.Request) {
	p := w.Active()
	if p == nil || p.State != promotion.WaitingForMerge {
		w.refuse(r, promotion.Because(promotion.Unknown, "open promotion"))
		return
	}
	if !w.shows(p) {
		w.refuse(r, promotion.Because(promotion.PlanChanged))
		return
	}
	if w.gate().HasSigned(p, r.By) {
		w.already(r)
		return
	}
	w.approve(promotion.Approval{Freight: p.Freight, Kind: promotion.SignOff, By: r.By, Plan: w.gate().Visible(p)})
	w.done(r)
}

// void revokes the sign-offs of what the pull request showed before its commit was made anew, and says so once, where
// they were given. As long as only somebody else has pushed there, they do not count, but they would again if that were
// undone. What counts stops counting when it expires, and somebody looks again then.
func (w *work) void() {
	p := w.Active()
	if p == nil || p.State != promotion.WaitingForMerge || !w.shows(p) {
		return
	}
	now, why := w.gate().Visible(p), promotion.Because(promotion.Void)
	for _, a := range w.Approvals {
		switch {
		case a.Kind != promotion.SignOff || a.Freight != p.Freight || !a.Revoked.IsZero():
		case a.Plan != now:
			a.Revoked = w.now
			w.saveApproval(a)
			why.Args = append(why.Args, string(a.By.Login))
		case a.Expires.After(w.now):
			w.wakeAt(a.Expires)
		}
	}
	if len(why.Args) > 0 {
		w.out.Effects = append(w.out.Effects, promotion.Effect{
			Verb: promotion.Tell, Stage: p.Stage, Promotion: p.Number, Round: int64(w.Attempt(p.Number).Built),
			Freight: p.Freight,
			Outcome: string(promotion.Void), Reason: why,
		})
	}
}

// shows reports whether the pull request of a promotion shows what would be merged: nobody else has pushed to it, and
// it is not about to be made anew.
func (w *work) shows(p *promotion.Promotion) bool {
	_, c := w.way(p)
	a := c.Attempt
	ours := c.Pull != nil && c.Pull.HeadSHA == a.HeadSHA && !c.Astray()
	return ours && (a.Plan == nil || a.Plan.Round == a.Built)
}

// obeyDeny ends the promotion whose plan was visible.
func (w *work) obeyDeny(r promotion.Request) {
	p := w.Active()
	if p == nil || p.State == promotion.Verifying {
		w.refuse(r, promotion.Because(promotion.Unknown, "open promotion"))
		return
	}
	w.withdraw(p.Number, promotion.Cancelled, asked(r))
	w.done(r)
}

// obeyAdmit makes freight available that has not earned it.
func (w *work) obeyAdmit(r promotion.Request) {
	i, why := command.FreightMeant(&w.Snapshot, r, w.gate().Available)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := w.Freight[i]
	if _, takes := w.Stage.Source(f.Warehouse); !takes {
		w.refuse(r, promotion.Because(promotion.Unknown, f.Name))
		return
	}
	if why := w.gate().Incomplete(i); !why.IsZero() {
		w.refuse(r, why)
		return
	}
	if w.gate().Available(i) {
		w.already(r)
		return
	}
	w.approve(promotion.Approval{Freight: f.ID, Kind: promotion.Admission, By: r.By, Text: r.Command.Text})
	w.admission(promotion.EventAvailable, f.Name, r.By)
	w.done(r)
}

// approvalLasts is how long a sign-off or an admission counts (semantics 4.5).
const approvalLasts = 24 * time.Hour

// approve records an approval.
func (w *work) approve(a promotion.Approval) {
	a.ID, a.Stage, a.At, a.Expires, a.Entitled = w.NextID, w.Stage.Name, w.now, w.now.Add(approvalLasts), true
	w.NextID++
	w.wakeAt(a.Expires)
	w.Approvals = append(w.Approvals[:len(w.Approvals):len(w.Approvals)], a)
	w.out.Approvals = append(w.out.Approvals, a)
}

// saveApproval records an approval as it is now.
func (w *work) saveApproval(a promotion.Approval) {
	w.moved = true
	w.Approvals = slices.Clone(w.Approvals)
	w.Approvals[slices.IndexFunc(w.Approvals, func(b promotion.Approval) bool { return b.ID == a.ID })] = a
	w.out.Approvals = append(w.out.Approvals, a)
}

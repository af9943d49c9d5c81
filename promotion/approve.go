package promotion

import "time"

// obeyApprove signs off the pull request that is open.
func (w *work) obeyApprove(r Request) {
	p := w.active()
	if p == nil || p.State != WaitingForMerge {
		w.refuse(r, r.unknown("open promotion"))
		return
	}
	if !w.shows(p) {
		w.refuse(r, Because(PlanChanged))
		return
	}
	for _, a := range w.Approvals {
		if a.By.Is(r.By) && w.signsOff(&a, p) {
			w.already(r)
			return
		}
	}
	w.approve(Approval{Freight: p.Freight, Kind: SignOff, By: r.By, Plan: w.attempt(p.Number).planHash()})
	w.done(r)
}

// shows reports whether the pull request of a promotion shows what would be merged: nobody else has pushed to it, and it is
// not about to be made anew.
func (w *work) shows(p *Promotion) bool {
	a := w.attempt(p.Number)
	pull := w.pull(a)
	ours := pull != nil && pull.HeadSHA == a.HeadSHA && !w.astray(pull)
	return ours && (a.Plan == nil || a.Plan.Round == a.Built)
}

// obeyDeny ends the promotion whose plan was visible.
func (w *work) obeyDeny(r Request) {
	p := w.active()
	if p == nil || p.State == Verifying {
		w.refuse(r, r.unknown("open promotion"))
		return
	}
	w.withdraw(p.Number, Cancelled, r.asked())
	w.done(r)
}

// obeyAdmit makes freight available that has not earned it.
func (w *work) obeyAdmit(r Request) {
	i, why := w.meant(r)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := w.Freight[i]
	if _, takes := w.Stage.Source(f.Warehouse); !takes {
		w.refuse(r, r.unknown(f.Name))
		return
	}
	if w.available(i) {
		w.already(r)
		return
	}
	w.approve(Approval{Freight: f.ID, Kind: Admission, By: r.By, Text: r.Command.Text})
	w.admission(EventAvailable, f.Name, r.By)
	w.done(r)
}

// approvalLasts is how long a sign-off or an admission counts (DESIGN 4.4).
const approvalLasts = 24 * time.Hour

// approve records an approval.
func (w *work) approve(a Approval) {
	a.ID, a.Stage, a.At, a.Expires, a.Entitled = w.NextID, w.Stage.Name, w.now, w.now.Add(approvalLasts), true
	w.NextID++
	w.wakeAt(a.Expires)
	w.Approvals = append(w.Approvals[:len(w.Approvals):len(w.Approvals)], a)
	w.out.Approvals = append(w.out.Approvals, a)
}

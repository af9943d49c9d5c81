package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

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
	if w.hasSigned(p, r.By) {
		w.already(r)
		return
	}
	w.approve(Approval{Freight: p.Freight, Kind: SignOff, By: r.By, Plan: w.visible(p)})
	w.done(r)
}

// hasSigned reports whether a sign-off of somebody's counts for a promotion.
func (w *work) hasSigned(p *Promotion, who Actor) bool {
	return slices.ContainsFunc(w.Approvals, func(a Approval) bool { return a.By.Is(who) && w.signsOff(&a, p) })
}

// visible returns what a sign-off of a promotion binds to, as one hash: stage, freight, branch, the commit that the pull
// request shows, and what it makes of the files (semantics 4.4).
func (w *work) visible(p *Promotion) string {
	a := w.attempt(p.Number)
	bound := sha256.New()
	for _, part := range []string{string(p.Stage), string(p.Freight), w.Pipeline.FilesOfStep(w.Stage, p).Name, string(a.HeadSHA), a.planHash()} {
		fmt.Fprintf(bound, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(bound.Sum(nil))
}

// unsigned returns how many sign-offs a promotion still needs before it is merged. A person counts once.
func (w *work) unsigned(p *Promotion) int {
	var counted []Actor
	for i := range w.Approvals {
		a := &w.Approvals[i]
		if w.signsOff(a, p) && !slices.ContainsFunc(counted, a.By.Is) {
			counted = append(counted, a.By)
		}
	}
	return max(w.needed(p)-len(counted), 0)
}

// void revokes the sign-offs of what the pull request showed before its commit was made anew, and says so once, where they
// were given. As long as only somebody else has pushed there, they do not count, but they would again if that were undone.
// What counts stops counting when it expires, and somebody looks again then.
func (w *work) void() {
	p := w.active()
	if p == nil || p.State != WaitingForMerge || !w.shows(p) {
		return
	}
	now, why := w.visible(p), Because(Void)
	for _, a := range w.Approvals {
		switch {
		case a.Kind != SignOff || a.Freight != p.Freight || !a.Revoked.IsZero():
		case a.Plan != now:
			a.Revoked = w.now
			w.saveApproval(a)
			why.Args = append(why.Args, string(a.By.Login))
		case a.Expires.After(w.now):
			w.wakeAt(a.Expires)
		}
	}
	if len(why.Args) > 0 {
		w.out.Effects = append(w.out.Effects, Effect{
			Verb: Tell, Stage: p.Stage, Promotion: p.Number, Round: int64(w.attempt(p.Number).Built), Freight: p.Freight,
			Outcome: string(Void), Reason: why,
		})
	}
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
	if why := w.incomplete(i, w.now); !why.IsZero() {
		w.refuse(r, why)
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

// approvalLasts is how long a sign-off or an admission counts (semantics 4.5).
const approvalLasts = 24 * time.Hour

// approve records an approval.
func (w *work) approve(a Approval) {
	a.ID, a.Stage, a.At, a.Expires, a.Entitled = w.NextID, w.Stage.Name, w.now, w.now.Add(approvalLasts), true
	w.NextID++
	w.wakeAt(a.Expires)
	w.Approvals = append(w.Approvals[:len(w.Approvals):len(w.Approvals)], a)
	w.out.Approvals = append(w.out.Approvals, a)
}

// saveApproval records an approval as it is now.
func (w *work) saveApproval(a Approval) {
	w.moved = true
	w.Approvals = slices.Clone(w.Approvals)
	w.Approvals[slices.IndexFunc(w.Approvals, func(b Approval) bool { return b.ID == a.ID })] = a
	w.out.Approvals = append(w.out.Approvals, a)
}

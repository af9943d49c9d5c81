package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/deliver"
	"waybill/promotion/rollout"
)

// follow takes over what GitHub says of the active promotion, in the way in which it is delivered.
func (w *work) follow() {
	p := w.Active()
	if p == nil || p.State == promotion.Verifying {
		return
	}
	p = w.leaveOut(p, w.Attempt(p.Number).Plan)
	way, c := w.way(p)
	shrinks := func() promotion.Reason { return rollout.Shrinks(&w.Snapshot, p, gates(w.gate())) }
	switch news := way.Follow(c); {
	case news.Kind == deliver.Unsure:
		return
	case news.Kind == deliver.Arrived:
		w.merged(p.Number, news.Merged, c.Attempt)
	case news.Kind == deliver.Ended && news.Clean:
		w.withdraw(p.Number, news.State, news.Reason)
	case news.Kind == deliver.Ended:
		w.end(p.Number, news.State, news.Reason)
	case !w.Removed && rollout.Replaced(w.Stage, p):
		w.withdraw(p.Number, promotion.Cancelled, rollout.Removed(w.Stage, p.Rollout.Targets))
	case !shrinks().IsZero():
		w.beginAgain(p.Number, c.Attempt, shrinks())
	case news.Kind == deliver.Shown && p.State == promotion.Running:
		w.opened(p.Number)
	default:
		w.rebuild(p.Number, c.Attempt, way.Spent(c))
	}
}

// rebuild looks at the plan that was made anew because what was made before could not be delivered, and gives up when
// making it anew does not help.
func (w *work) rebuild(n promotion.Number, a promotion.Attempt, spent bool) {
	switch anew := a.Plan != nil && a.Plan.Round > a.Built; {
	case anew && !a.Plan.Problem.IsZero():
		w.withdraw(n, promotion.Failed, a.Plan.Problem)
	case anew && len(a.Plan.Paths) == 0:
		if !w.Stage.Rolls() || a.Plan.Round > 1 { // before the first plan of a step nothing of it was opened
			w.close(n, promotion.Because(promotion.NoChange))
		}
		w.unchanged(n, a.Plan)
	case spent:
		w.withdraw(n, promotion.Failed, promotion.Because(promotion.Conflict, a.Paths()...))
	}
}

// moveOut ends what was begun where the stage's files were before. What is merged there stays, and says nothing of the
// stage any more.
func (w *work) moveOut() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		began := w.Attempt(p.Number).Files
		if now := w.Pipeline.FilesOfStep(w.Stage, p); !p.State.Ended() && !w.writing(p) &&
			began != (promotion.Branch{}) && began != now {
			w.stop(p, promotion.Because(promotion.Moved, now.String()))
		}
	}
}

// stop ends a promotion that has lost its sense.
func (w *work) stop(p *promotion.Promotion, r promotion.Reason) {
	if p.State == promotion.Verifying {
		w.end(p.Number, promotion.Cancelled, r)
		return
	}
	w.withdraw(p.Number, promotion.Cancelled, r)
}

// retire ends everything in a stage that the pipeline file no longer has; its history stays (Q18).
func (w *work) retire() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State.Ended() {
			continue
		}
		if !w.writing(p) {
			w.stop(p, promotion.Because(promotion.Removed, string(w.Stage.Name)))
		}
	}
	for _, r := range w.Requests {
		if r.Command.Verb == promotion.CmdHold && r.Command.All && command.Forbids(&w.Snapshot, r).IsZero() {
			w.obeyHold(r) // it concerns the others
			continue
		}
		w.refuse(r, promotion.Because(promotion.Removed, string(w.Stage.Name)))
	}
	w.Requests = nil
}

package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"
)

// obeyRollback brings back freight that was verified in the stage before (Q11). It pre-empts: what runs is ended first.
// It passes the bot's holds but not a person's, which the refusal names. When it is merged the bot holds the stage.
func (w *work) obeyRollback(r promotion.Request) {
	if p := w.RollingBack(); p != nil && r.Command.Freight == "" {
		w.queuedAlready(r, p.Number) // who wants to go back further says so
		return
	}
	i, why := command.ToBringBack(&w.Snapshot, r, verify.Judgeable(&w.Snapshot))
	switch {
	case i >= 0:
		w.rollBack(r, i, 0)
	case why.Code == promotion.Already:
		w.already(r)
	default:
		w.refuse(r, why)
	}
}

// rollBack queues a rollback to the i-th freight, because of the promotion that it pre-empts or of the one that is
// given.
func (w *work) rollBack(r promotion.Request, i int, cause promotion.Number) {
	f := w.Freight[i]
	if p := w.OpenOf(f.ID); p != nil && p.Class == promotion.Rollback {
		w.queuedAlready(r, p.Number)
		return
	}
	if h := w.gate().Hold(w.Stage.Name); h != nil && !h.By.Bot() {
		w.refuse(r, h.Because())
		return
	}
	if f, _ := w.Stage.Frozen(promotion.Rollback, w.now); f != nil {
		w.refuse(r, f.Because()) // what runs is not ended for something that would only wait
		return
	}
	if p := w.Active(); p != nil {
		cause = p.Number
		w.preempt(p, r, promotion.Because(promotion.Inconclusive))
	}
	w.queued(r, w.goBack(&f, promotion.Promotion{By: r.By, Cause: cause}, asked(r)))
}

// goBack queues a rollback to a freight. What waited as something else ends, for the reason that is given.
func (w *work) goBack(f *promotion.Freight, p promotion.Promotion, why promotion.Reason) promotion.Number {
	if p := w.OpenOf(f.ID); p != nil {
		w.end(p.Number, promotion.Cancelled, why)
	}
	p.Warehouse, p.Freight, p.FreightName, p.Class, p.Pins = f.Warehouse, f.ID, f.Name, promotion.Rollback, true
	return w.add(p)
}

// undo brings back to the targets that a rollout has updated what was verified there before, because more have failed
// than may. It reports whether there is anything: a rollback that has failed itself is for a person.
func (w *work) undo(i int) bool {
	failed := w.Promotion(w.Stays[i].Promotion)
	f, _ := command.ToBringBack(&w.Snapshot, promotion.Request{}, verify.Judgeable(&w.Snapshot))
	if failed.Class == promotion.Rollback || f < 0 {
		return false
	}
	back := promotion.Promotion{Cause: failed.Number}
	for _, part := range w.Stays[i].Parts {
		if part.Step > 0 {
			back.Only = append(back.Only, part.Target)
		}
	}
	w.goBack(&w.Freight[f], back, failed.Reason)
	return true
}

// preempt ends what runs: unmerged because somebody asked, verifying with the verdict inconclusive, for the reason that
// is given. Of a rollout both may be so: what it has brought stays, unverified.
func (w *work) preempt(p *promotion.Promotion, r promotion.Request, verifying promotion.Reason) {
	n, merged := p.Number, p.State == promotion.Verifying
	if i := w.StayOf(n); i >= 0 {
		w.record(i, verify.Opinion{Verdict: promotion.Undecided, At: w.now, Reason: asked(r)})
	}
	if !merged {
		w.withdraw(n, promotion.Cancelled, asked(r))
		return
	}
	w.end(n, promotion.Cancelled, verifying)
}

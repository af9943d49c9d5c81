package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/deliver"
	"waybill/promotion/verify"
)

// planLasts is how long a plan may be used before the base is read again. A promotion normally starts in the moment its
// plan is there; when a hold came in between, the base has moved on.
const planLasts = time.Minute

// start starts the next promotion of the queue, once its plan is known (semantics 1.1: every fact needed to decide is at
// hand).
func (w *work) start() {
	p, o := w.next()
	w.expect(o)
	if p == nil {
		return
	}
	a := w.Attempt(p.Number)
	plan := a.Plan
	switch {
	case a.State == promotion.AttemptFailed:
		w.end(p.Number, promotion.Failed, a.Failure) // GitHub does not even let us look
	case w.Stage.Rolls():
		w.depart(p.Number) // each step has its own plan
	case !w.fresh(plan):
		return // want asks for it
	case !plan.Problem.IsZero():
		w.end(p.Number, promotion.Failed, plan.Problem)
	default:
		w.depart(p.Number)
	}
}

// fresh reports whether the plan is there and recent.
func (w *work) fresh(plan *promotion.Plan) bool {
	return plan != nil && w.now.Sub(plan.At) < planLasts
}

// want lists what is wanted on GitHub as long as nothing changes. What it no longer lists and has not begun never will:
// a hold that is written down before a merge begins always stops it.
func (w *work) want() {
	p := w.Active()
	if w.Removed && !w.writing(p) {
		return
	}
	if p != nil {
		w.wantFor(p)
	} else {
		w.wantNext()
	}
	w.wantObservations()
	w.wantLook()
	w.wantProbe()
}

// wantObservations asks GitHub for all signals when a deadline has passed in silence, when nothing at all is known of
// the commit of a promotion without change, and when a person asks to judge again.
func (w *work) wantObservations() {
	for i := range w.Requests {
		if r := &w.Requests[i]; verify.Unobserved(&w.Snapshot, r) {
			by := w.Stays[verify.Judgeable(&w.Snapshot)].Promotion
			w.wanted(promotion.Effect{Verb: promotion.Observe, Promotion: by, Round: r.ID, Request: r.ID})
		}
	}
	p := w.Active()
	if p == nil || p.State != promotion.Verifying {
		return
	}
	if due, overdue := w.judge().Overdue(p, w.now); overdue {
		w.wanted(promotion.Effect{Verb: promotion.Observe, Promotion: p.Number, Round: due.Unix()})
	}
}

// wantNext lists what the promotion that is to start now needs for that.
func (w *work) wantNext() {
	p, o := w.next()
	w.expect(o)
	if p != nil {
		w.wanted(deliver.Plan(w.Attempt(p.Number)))
	}
}

// wantFor lists what the active promotion needs next, in the way in which it is delivered.
func (w *work) wantFor(p *promotion.Promotion) {
	if p.State == promotion.Verifying {
		return
	}
	way, c := w.way(p)
	e, until := way.Want(c, w.gatesFor(p))
	w.wakeAt(until)
	if e.Verb != "" {
		w.wanted(e)
	}
}

func (w *work) wanted(e promotion.Effect) {
	e.Stage = w.Stage.Name
	e.Step = w.Promotion(e.Promotion).Step()
	w.out.Wanted = append(w.out.Wanted, e)
}

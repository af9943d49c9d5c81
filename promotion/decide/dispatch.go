package decide

import "waybill/promotion"

// wantDispatch asks for the workflow's start, or first for a plan.
func (w *work) wantDispatch(p *promotion.Promotion, a promotion.Attempt) {
	switch {
	case a.Plan == nil:
		w.wantPlan(p, a)
	case w.note(w.gate.Withheld(p)).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Dispatching, Promotion: p.Number, Round: 1})
	}
}

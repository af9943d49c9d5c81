package decide

import (
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// wantProbe asks GitHub what the targets show, where that would decide something.
func (w *work) wantProbe() {
	if w.probes == 0 {
		return
	}
	e := promotion.Effect{Verb: promotion.Probe, Promotion: w.probes}
	if w.Readiness != nil {
		e.Round = w.Readiness.Asked // one for each answer
	}
	w.wanted(e)
}

// noneReady returns why a promotion does not start though nothing else is in its way: no target that it goes to is
// ready, or GitHub must be asked; the zero reason if it may start.
func (w *work) noneReady(p *promotion.Promotion) (promotion.Reason, outlook) {
	if w.Lookup().Conditions == 0 {
		return promotion.Reason{}, outlook{}
	}
	step, more := rollout.First(&w.Snapshot, p, gates(w.gate()))
	why, until := w.gate().NoneReady(p, &step, more)
	if why.Code == promotion.Waiting {
		return why, outlook{probes: p.Number}
	}
	return why, outlook{until: until}
}

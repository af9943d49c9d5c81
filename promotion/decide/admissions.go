package decide

import "waybill/promotion"

// expireAdmissions revokes the admissions to this stage whose time has come, on the clock of the server.
func (w *work) expireAdmissions() {
	for _, a := range w.Approvals {
		if a.Kind != promotion.Admission || !a.Revoked.IsZero() || a.Expires.IsZero() {
			continue
		}
		if a.Expires.After(w.now) {
			w.wakeAt(a.Expires)
			continue
		}
		a.Revoked = w.now // it has not counted since it expired
		w.saveApproval(a)
		if f := w.FreightAt(a.Freight); f >= 0 {
			w.admission(promotion.EventRevoked, w.Freight[f].Name, promotion.Actor{})
		}
	}
}

// admission says that freight has been admitted, or that its admission has ended.
func (w *work) admission(what promotion.Event, freight string, by promotion.Actor) {
	w.out.Log = append(w.out.Log,
		promotion.Entry{At: w.now, Stage: w.Stage.Name, Event: what, Freight: freight, By: by})
}

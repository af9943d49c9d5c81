package promotion

// expireAdmissions revokes the admissions to this stage whose time has come, on the clock of the server.
func (w *work) expireAdmissions() {
	for _, a := range w.Approvals {
		if a.Kind != Admission || !a.Revoked.IsZero() || a.Expires.IsZero() {
			continue
		}
		if a.Expires.After(w.now) {
			w.wakeAt(a.Expires)
			continue
		}
		a.Revoked = w.now // it has not counted since it expired
		w.saveApproval(a)
		if f := w.freight(a.Freight); f >= 0 {
			w.admission(EventRevoked, w.Freight[f].Name, Actor{})
		}
	}
}

// admission says that freight has been admitted, or that its admission has ended.
func (w *work) admission(what Event, freight string, by Actor) {
	w.out.Log = append(w.out.Log, Entry{At: w.now, Stage: w.Stage.Name, Event: what, Freight: freight, By: by})
}

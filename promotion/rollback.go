package promotion

// obeyRollback brings back freight that was verified in the stage before (Q11). It pre-empts: what runs is ended first.
// It passes the bot's holds but not a person's, which the refusal names. When it is merged the bot holds the stage.
func (w *work) obeyRollback(r Request) {
	i, why := w.verifiedBefore(r)
	if i < 0 && why.Code == Already {
		w.already(r, Reason{})
		return
	}
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := w.Freight[i]
	if p := w.open(f.ID); p != nil && p.Class == Rollback {
		w.already(r, Reason{})
		return
	}
	if h := w.holdOf(w.Stage.Name, w.now); h != nil && !h.By.Bot() {
		w.refuse(r, h.because())
		return
	}
	var cause Number
	if p := w.active(); p != nil {
		cause = p.Number
		w.preempt(p, r)
	}
	if p := w.open(f.ID); p != nil {
		w.end(p.Number, Cancelled, r.asked()) // it waited as something else
	}
	w.add(Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: Rollback, By: r.By, Cause: cause, Pins: true})
	w.done(r)
}

// preempt ends what runs: unmerged because somebody asked, verifying with the verdict inconclusive.
func (w *work) preempt(p *Promotion, r Request) {
	if p.State != Verifying {
		w.withdraw(p.Number, Cancelled, r.asked())
		return
	}
	n := p.Number
	if i := w.stayOf(n); i >= 0 {
		w.record(i, opinion{verdict: Undecided, at: w.now, reason: r.asked()})
	}
	w.end(n, Cancelled, Because(Inconclusive))
}

// verifiedBefore returns the index of the freight to roll back to: the one the request names, if it has been verified
// here before, else the freight verified here last that is not the one hosted now; -1 with the reason if there is none.
func (w *work) verifiedBefore(r Request) (int, Reason) {
	if name := r.Command.Freight; name != "" {
		i := w.named(name)
		switch {
		case i < 0:
			return -1, r.unknown(name)
		case w.hosts(w.Freight[i]):
			return -1, Because(Already)
		case !w.wasVerified(w.Freight[i].ID):
			return -1, Because(Unverified, string(w.Stage.Name))
		}
		return i, Reason{}
	}
	for j := len(w.Stays) - 1; j >= 0; j-- {
		stay := &w.Stays[j]
		i := w.freight(stay.Freight)
		if stay.Ended() && stay.Verdict == Passed && i >= 0 && !w.hosts(w.Freight[i]) {
			return i, Reason{}
		}
	}
	return -1, Because(Unverified, string(w.Stage.Name))
}

func (w *work) wasVerified(f FreightID) bool {
	for i := range w.Stays {
		if w.Stays[i].Freight == f && w.Stays[i].Verdict == Passed {
			return true
		}
	}
	return false
}

// hosts reports whether the stage hosts this freight now.
func (w *work) hosts(f Freight) bool {
	i := w.hosted(f.Warehouse)
	return i >= 0 && w.Stays[i].Freight == f.ID
}

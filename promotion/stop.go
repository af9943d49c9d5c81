package promotion

// obeyHold holds the stage, or the whole pipeline. Anybody who may is obeyed, whatever else the command says.
func (w *work) obeyHold(r Request) {
	h := Hold{Stage: r.Command.Stage, By: r.By, Reason: r.asked(), Text: r.Command.Text}
	if r.Command.For > 0 {
		h.Until = w.now.Add(r.Command.For)
		w.wakeAt(h.Until)
	}
	for i := range w.Holds {
		if w.Holds[i].Stands(w.now) && w.Holds[i].covers(&h) {
			w.answer(r, Already, 0, w.Holds[i].because())
			return
		}
	}
	w.addHold(h)
	w.done(r)
}

// covers reports whether another hold of the same place would stop nothing that h, a person's, does not stop already.
func (h *Hold) covers(other *Hold) bool {
	longer := h.Until.IsZero() || !other.Until.IsZero() && !h.Until.Before(other.Until)
	return h.Stage == other.Stage && !h.By.Bot() && longer
}

// obeyUnhold lifts the holds of the stage: all or none.
func (w *work) obeyUnhold(r Request) {
	lifted := false
	for i := range w.Holds {
		h := &w.Holds[i]
		if h.Stage != r.Command.Stage || !h.Stands(w.now) {
			continue
		}
		if !w.mayLift(h, r) {
			w.refuse(r, h.because())
			return
		}
		lifted = true
	}
	if !lifted {
		w.unheld(r)
		return
	}
	for i := range w.Holds {
		if w.Holds[i].Stage == r.Command.Stage && w.Holds[i].Stands(w.now) {
			w.lift(i, r.By)
		}
	}
	w.released(r.Command.Stage, r.By)
	w.done(r)
}

// mayLift reports whether somebody who may unhold may lift this hold: the bot's always; a person's as its owner, or as
// somebody who maintains the repository, unless the policy file says itself who may.
func (w *work) mayLift(h *Hold, r Request) bool {
	_, listed := w.Pipeline.Policy.May[CmdUnhold]
	return h.By.Bot() || h.By.Is(r.By) || listed || r.Permission >= Maintain
}

// unheld answers an unhold where nothing of the stage's own stands: it is free, or the whole pipeline is held.
func (w *work) unheld(r Request) {
	if h := w.holdOf(r.Command.Stage, w.now); h != nil {
		w.refuse(r, h.because())
		return
	}
	w.already(r)
}

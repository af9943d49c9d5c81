package promotion

// obeyHold holds the stage, or the whole pipeline. Anybody who may is obeyed, whatever else the command says.
func (w *work) obeyHold(r Request) {
	for i := range w.Holds {
		h := &w.Holds[i]
		if h.Stage == r.Command.Stage && h.Stands(w.now) && !h.By.Bot() {
			w.already(r, h.because())
			return
		}
	}
	h := Hold{Stage: r.Command.Stage, By: r.By, Reason: r.asked(), Text: r.Command.Text}
	if r.Command.For > 0 {
		h.Until = w.now.Add(r.Command.For)
		w.wakeAt(h.Until)
	}
	w.addHold(h)
	w.done(r)
}

// obeyUnhold lifts the holds of the stage. A person's hold is lifted by its owner or by somebody who maintains the
// repository, the bot's by anybody who may.
func (w *work) obeyUnhold(r Request) {
	lifted := false
	for i := range w.Holds {
		h := &w.Holds[i]
		if h.Stage != r.Command.Stage || !h.Stands(w.now) {
			continue
		}
		if !h.By.Bot() && h.By != r.By && r.Permission < Maintain {
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

// unheld answers an unhold where nothing of the stage's own stands: it is free, or the whole pipeline is held.
func (w *work) unheld(r Request) {
	if h := w.holdOf(r.Command.Stage, w.now); h != nil {
		w.refuse(r, h.because())
		return
	}
	w.already(r, Reason{})
}

package promotion

import "strings"

// obeyHold holds the stage, a target of it, or the whole pipeline. Anybody who may is obeyed, whatever else the command says.
func (w *work) obeyHold(r Request) {
	h := Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By, Text: r.Command.Text}
	if w.Stage.Target(h.Target) == nil {
		h.Target, h.Text = "", strings.TrimSpace(string(h.Target)+" "+h.Text) // the whole stage: stopping is lenient
	}
	h.Reason = h.asked()
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
	return h.sameAs(*other) && !h.By.Bot() && longer
}

// obeyUnhold lifts the holds of the stage, or of one target of it: all or none.
func (w *work) obeyUnhold(r Request) {
	lifted := false
	of := Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By}
	for i := range w.Holds {
		h := &w.Holds[i]
		if !h.sameAs(of) || !h.Stands(w.now) {
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
		if w.Holds[i].sameAs(of) && w.Holds[i].Stands(w.now) {
			w.lift(i, r.By)
		}
	}
	w.released(of, r.By)
	w.done(r)
}

// sameAs reports whether both holds are of the same place.
func (h *Hold) sameAs(other Hold) bool { return h.Stage == other.Stage && h.Target == other.Target }

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

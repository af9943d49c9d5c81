package decide

import (
	"strings"
	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyHold holds the stage, a target of it, or the whole pipeline. Anybody who may is obeyed, whatever else the command
// says.
func (w *work) obeyHold(r promotion.Request) {
	h := promotion.Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By, Text: r.Command.Text}
	if w.Stage.Target(h.Target) == nil {
		h.Target, h.Text = "", strings.TrimSpace(string(h.Target)+" "+h.Text) // the whole stage: stopping is lenient
	}
	h.Reason = h.Asked()
	if r.Command.For > 0 {
		h.Until = w.now.Add(r.Command.For)
		w.wakeAt(h.Until)
	}
	for i := range w.Holds {
		if w.Holds[i].Stands(w.now) && w.Holds[i].Covers(&h) {
			w.answer(r, promotion.Already, 0, w.Holds[i].Because())
			return
		}
	}
	w.addHold(h)
	w.done(r)
}

// obeyUnhold lifts the holds of the stage, or of one target of it: all or none.
func (w *work) obeyUnhold(r promotion.Request) {
	lifted := false
	of := promotion.Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By}
	for i := range w.Holds {
		h := &w.Holds[i]
		if !h.SameAs(of) || !h.Stands(w.now) {
			continue
		}
		if !command.MayLift(w.Pipeline.Policy, h, r) {
			w.refuse(r, h.Because())
			return
		}
		lifted = true
	}
	if !lifted {
		w.unheld(r)
		return
	}
	for i := range w.Holds {
		if w.Holds[i].SameAs(of) && w.Holds[i].Stands(w.now) {
			w.lift(i, r.By)
		}
	}
	w.released(of, r.By)
	w.done(r)
}

// unheld answers an unhold where nothing of the stage's own stands: it is free, or the whole pipeline is held.
func (w *work) unheld(r promotion.Request) {
	if h := w.gate().Hold(r.Command.Stage); h != nil {
		w.refuse(r, h.Because())
		return
	}
	w.already(r)
}

package decide

import (
	"strings"
	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyHold holds the stage, a target of it, or the whole pipeline. The rest of the command plays no part, as long as
// the person may hold.
func obeyHold(d *draft, r promotion.Request) {
	h := promotion.Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By, Text: r.Command.Text}
	if d.Stage.Target(h.Target) == nil {
		h.Target, h.Text = "", strings.TrimSpace(string(h.Target)+" "+h.Text) // the whole stage: stopping is lenient
	}
	h.Reason = h.Asked()
	if r.Command.For > 0 {
		h.Until = d.now.Add(r.Command.For)
		d.wakeAt(h.Until)
	}
	for i := range d.Holds {
		if d.Holds[i].Stands(d.now) && d.Holds[i].Covers(&h) {
			d.answer(r, promotion.Already, 0, alreadyHeld(&d.Holds[i]))
			return
		}
	}
	d.addHold(h)
	d.done(r)
}

// alreadyHeld returns why a hold changes nothing: another one stops the same until then, or longer.
func alreadyHeld(h *promotion.Hold) promotion.Reason {
	if h.Until.IsZero() {
		return h.Because().With("without end; for a shorter hold, lift it first")
	}
	return h.Because().With("until " + h.Until.UTC().Format("2006-01-02 15:04 MST"))
}

// obeyUnhold lifts the holds of the stage, or of one target of it: all or none.
func obeyUnhold(d *draft, r promotion.Request) {
	lifted := false
	of := promotion.Hold{Stage: r.Command.Stage, Target: r.Command.Target, By: r.By}
	for i := range d.Holds {
		h := &d.Holds[i]
		if !h.SameAs(of) || !h.Stands(d.now) {
			continue
		}
		if !command.MayLift(d.Pipeline.Policy, h, r) {
			d.refuse(r, h.Because())
			return
		}
		lifted = true
	}
	if !lifted {
		unheld(d, r)
		return
	}
	for i := range d.Holds {
		if d.Holds[i].SameAs(of) && d.Holds[i].Stands(d.now) {
			d.lift(i, r.By)
		}
	}
	d.released(of, r.By)
	d.done(r)
}

// unheld answers an unhold where nothing of the stage's own stands: it is free, or the whole pipeline is held.
func unheld(d *draft, r promotion.Request) {
	if h := d.gate().Hold(r.Command.Stage); h != nil {
		d.refuse(r, h.Because().With(lifts(h)))
		return
	}
	d.already(r)
}

// lifts says which command lifts a hold that is wider than the one that was meant.
func lifts(h *promotion.Hold) string {
	if h.Stage == "" {
		return "every stage is held, and /unhold --all lifts that"
	}
	return "the whole stage is held, and /unhold " + string(h.Stage) + " lifts that"
}

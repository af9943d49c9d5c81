package decide

import (
	"slices"
	"waybill/promotion"
)

// hold records a hold of the bot, with the promotion that made it necessary.
func (w *work) hold(r promotion.Reason, p promotion.Number) {
	w.addHold(promotion.Hold{Stage: w.Stage.Name, Reason: r, Promotion: p})
}

// holdOnce holds the stage because of a promotion, unless it is held because of it already.
func (w *work) holdOnce(why promotion.Reason, n promotion.Number) {
	if !slices.ContainsFunc(w.Holds,
		func(h promotion.Hold) bool { return h.Promotion == n && h.By.Bot() && h.Stands(w.now) }) {
		w.hold(why, n)
	}
}

// addHold records a new hold and says so.
func (w *work) addHold(h promotion.Hold) {
	h.ID, h.At = w.NextID, w.now
	w.NextID++
	w.moved = true
	w.ownHolds()
	w.Holds = append(w.Holds, h)
	w.out.Holds = append(w.out.Holds, h)
	w.out.Ripples = true
	w.out.Log = append(w.out.Log,
		promotion.Entry{At: w.now, Stage: h.Stage, Event: promotion.EventHeld, Reason: h.Reason, By: h.By})
}

// lift lifts the i-th hold.
func (w *work) lift(i int, by promotion.Actor) {
	w.moved = true
	w.ownHolds()
	w.Holds[i].Lifted, w.Holds[i].LiftedBy = w.now, by
	w.out.Holds = append(w.out.Holds, w.Holds[i])
	w.out.Ripples = true
}

// released says that the place of a hold is free again, if nothing else holds it.
func (w *work) released(h promotion.Hold, by promotion.Actor) {
	var which promotion.Reason
	switch {
	case h.Target != "":
		which = h.Asked()
	case h.Stage != "" && w.gate().Hold(h.Stage) != nil:
		return
	}
	w.out.Log = append(w.out.Log,
		promotion.Entry{At: w.now, Stage: h.Stage, Event: promotion.EventReleased, Reason: which, By: by})
}

// liftInconclusive lifts the bot's hold that an inconclusive verification of p made necessary (Q5).
func (w *work) liftInconclusive(p promotion.Number) {
	for i := range w.Holds {
		h := &w.Holds[i]
		if h.Promotion == p && h.By.Bot() && h.Lifted.IsZero() &&
			(h.Reason.Code == promotion.Inconclusive || h.Reason.Code == promotion.Missing) {
			w.lift(i, promotion.Actor{})
			w.released(*h, promotion.Actor{})
		}
	}
}

// expireHolds lifts the holds of this stage whose time has come, on the clock of the server. The first stage does it
// for the holds of the whole pipeline.
func (w *work) expireHolds() {
	for i := range w.Holds {
		h := &w.Holds[i]
		if !h.Lifted.IsZero() || h.Until.IsZero() || !w.mine(h.Stage) {
			continue
		}
		if h.Until.After(w.now) {
			w.wakeAt(h.Until)
			continue
		}
		w.lift(i, promotion.Actor{})
		w.released(*h, promotion.Actor{})
	}
}

// mine reports whether this decision looks after holds of that stage.
func (w *work) mine(stage promotion.StageName) bool {
	return stage == w.Stage.Name || stage == "" && w.Stage.Index == 0
}

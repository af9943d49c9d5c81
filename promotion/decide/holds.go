package decide

import (
	"slices"
	"waybill/promotion"
)

// hold records a hold of the bot, with the promotion that made it necessary.
func (d *draft) hold(r promotion.Reason, p promotion.Number) {
	d.addHold(promotion.Hold{Stage: d.Stage.Name, Reason: r, Promotion: p})
}

// holdOnce holds the stage because of a promotion, unless it is held because of it already.
func (d *draft) holdOnce(why promotion.Reason, n promotion.Number) {
	if !slices.ContainsFunc(d.Holds,
		func(h promotion.Hold) bool { return h.Promotion == n && h.By.Bot() && h.Stands(d.now) }) {
		d.hold(why, n)
	}
}

// addHold records a new hold and says so.
func (d *draft) addHold(h promotion.Hold) {
	h.ID, h.At = d.NextID, d.now
	d.NextID++
	d.moved = true
	d.ownHolds()
	d.Holds = append(d.Holds, h)
	d.out.Holds = append(d.out.Holds, h)
	d.out.Ripples = true
	d.out.Log = append(d.out.Log,
		promotion.Entry{At: d.now, Stage: h.Stage, Event: promotion.EventHeld, Reason: h.Reason, By: h.By})
}

// lift lifts the i-th hold.
func (d *draft) lift(i int, by promotion.Actor) {
	d.moved = true
	d.ownHolds()
	d.Holds[i].Lifted, d.Holds[i].LiftedBy = d.now, by
	d.out.Holds = append(d.out.Holds, d.Holds[i])
	d.out.Ripples = true
}

// released says that the place of a hold is free again, if nothing else holds it.
func (d *draft) released(h promotion.Hold, by promotion.Actor) {
	var which promotion.Reason
	switch {
	case h.Target != "":
		which = h.Asked()
	case h.Stage != "" && d.gate().Hold(h.Stage) != nil:
		return
	}
	d.out.Log = append(d.out.Log,
		promotion.Entry{At: d.now, Stage: h.Stage, Event: promotion.EventReleased, Reason: which, By: by})
}

// liftInconclusive lifts the bot's hold that an inconclusive verification of p made necessary (Q5).
func (d *draft) liftInconclusive(p promotion.Number) {
	for i := range d.Holds {
		h := &d.Holds[i]
		if h.Promotion == p && h.By.Bot() && h.Lifted.IsZero() &&
			(h.Reason.Code == promotion.Inconclusive || h.Reason.Code == promotion.Missing) {
			d.lift(i, promotion.Actor{})
			d.released(*h, promotion.Actor{})
		}
	}
}

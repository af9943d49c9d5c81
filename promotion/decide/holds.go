package decide

import (
	"slices"
	"time"

	"waybill/promotion"
)

// holdStage records a hold of the bot, with the promotion that made it necessary.
func (d *draft) holdStage(r promotion.Reason, p promotion.Number) {
	d.addHold(promotion.Hold{Stage: d.Stage.Name, Reason: r, Promotion: p})
}

// holdFreight holds the freight of a promotion's warehouse because of that promotion. Where the stage takes from no
// other warehouse it holds the stage.
func (d *draft) holdFreight(why promotion.Reason, p *promotion.Promotion) {
	d.addHold(promotion.Hold{Stage: d.Stage.Name, Warehouse: d.Stage.Holds(p.Freight.Warehouse), Reason: why,
		Promotion: p.Number})
}

// holdOnce is holdFreight, unless the bot holds something because of that promotion already.
func (d *draft) holdOnce(why promotion.Reason, p *promotion.Promotion) {
	if heldBecauseOf(&d.Snapshot, p.Number, d.now) == nil {
		d.holdFreight(why, p)
	}
}

// heldBecauseOf returns the bot's hold that a promotion has made necessary, while it stands; nil if there is none.
func heldBecauseOf(s *promotion.Snapshot, p promotion.Number, now time.Time) *promotion.Hold {
	for i := range s.Holds {
		if h := &s.Holds[i]; h.Promotion == p && h.By.Bot() && h.Stands(now) {
			return h
		}
	}
	return nil
}

// addHold records a new hold and says so. It begins now, unless it goes on with another one.
func (d *draft) addHold(h promotion.Hold) {
	h.ID = d.NextID
	if h.At.IsZero() {
		h.At = d.now
	}
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

// liftAll lifts holds for a person, says once of each place that it is free again, and returns the places.
func (d *draft) liftAll(lifted []int, by promotion.Actor) (free []promotion.Hold) {
	for _, i := range lifted {
		d.lift(i, by)
		h := &d.Holds[i]
		of := promotion.Hold{Stage: h.Stage, Target: h.Target, Warehouse: h.Warehouse, By: by}
		if !slices.ContainsFunc(free, h.SameAs) {
			free = append(free, of)
		}
	}
	for _, of := range free {
		d.released(of, by)
	}
	return free
}

// released says that the place of a hold is free again, if nothing else holds it.
func (d *draft) released(h promotion.Hold, by promotion.Actor) {
	var which promotion.Reason
	switch {
	case h.Part() != "":
		which = h.Asked()
	case h.Stage != "" && d.gate().Hold(h.Stage, "") != nil:
		return
	}
	d.out.Log = append(d.out.Log,
		promotion.Entry{At: d.now, Stage: h.Stage, Event: promotion.EventReleased, Reason: which, By: by})
}

// liftInconclusive lifts the bot's hold that an inconclusive verification of p made necessary (Q5), and says so.
func (d *draft) liftInconclusive(p promotion.Number) {
	for _, h := range d.liftUnclear(p) {
		d.released(h, promotion.Actor{})
	}
}

// liftUnclear lifts the bot's hold that an inconclusive verification of p made necessary, and returns it.
func (d *draft) liftUnclear(p promotion.Number) (lifted []promotion.Hold) {
	for i := range d.Holds {
		h := &d.Holds[i]
		if h.Promotion == p && h.By.Bot() && h.Lifted.IsZero() &&
			(h.Reason.Code == promotion.Inconclusive || h.Reason.Code == promotion.Missing) {
			d.lift(i, promotion.Actor{})
			lifted = append(lifted, d.Holds[i])
		}
	}
	return lifted
}

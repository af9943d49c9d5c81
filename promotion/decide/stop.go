package decide

import (
	"cmp"

	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyHold holds the stage, a target or a warehouse of it, or the whole pipeline. The rest of the command plays no
// part, as long as the person may hold.
func obeyHold(d *draft, r promotion.Request) {
	h := command.HoldMeant(r, d.Stage, d.Pipeline.Zone, d.now)
	h.Reason = h.Asked()
	if !h.Until.IsZero() && !h.Until.After(d.now) {
		d.answer(r, promotion.Already, 0, promotion.Because(promotion.Already).With("it was to end at "+
			h.Until.UTC().Format("2006-01-02 15:04 MST")+", which is over"))
		return
	}
	d.wakeAt(h.Until)
	for i := range d.Holds {
		if d.Holds[i].Stands(d.now) && d.Holds[i].Covers(&h) {
			d.answer(r, promotion.Already, 0, alreadyHeld(&d.Holds[i]))
			return
		}
	}
	for i := range d.Holds { // one row for each person and place, however often they hold it for longer
		if d.Holds[i].Stands(d.now) && h.Covers(&d.Holds[i]) {
			h.Text = cmp.Or(h.Text, d.Holds[i].Text) // longer, without words: for the same reason
			if h.At.IsZero() || d.Holds[i].At.Before(h.At) {
				h.At = d.Holds[i].At // it has been held since then
			}
			d.lift(i, r.By)
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

// obeyUnhold lifts the holds of the stage, or of one target or warehouse of it, that the person may lift; with those of
// the stage also those of its warehouses. Holds of others stay; where they alone are of what was named, it lifts none.
func obeyUnhold(d *draft, r promotion.Request) {
	of := command.HoldNamed(r.Command, d.Stage)
	var lifted []int
	var kept *promotion.Hold
	named := false // one that is lifted is of just what was named
	for i := range d.Holds {
		h := &d.Holds[i]
		switch {
		case !h.Stands(d.now) || !h.SameAs(of) && !h.Within(of):
		case command.MayLift(d.Pipeline.Policy, h, r):
			lifted, named = append(lifted, i), named || h.SameAs(of)
		case kept == nil || h.SameAs(of):
			kept = h
		}
	}
	switch {
	case kept != nil && (len(lifted) == 0 || kept.SameAs(of) && !named):
		d.refuse(r, kept.Because().With(liftsAlone(kept)))
		return
	case len(lifted) == 0:
		unheld(d, r, of)
		return
	}
	d.answer(r, promotion.Done, 0, liftedToo(d.liftAll(lifted, r.By), of))
}

// liftedToo says the holds of which warehouses were lifted with that of the stage.
func liftedToo(free []promotion.Hold, of promotion.Hold) (why promotion.Reason) {
	for _, h := range free {
		if h.Within(of) {
			why.Code, why.Args = promotion.Lifted, append(why.Args, string(h.Warehouse))
		}
	}
	return why
}

// unheld answers an unhold where nothing of the stage's own stands: it is free, or more than was meant is held.
func unheld(d *draft, r promotion.Request, of promotion.Hold) {
	if h := d.gate().Hold(of.Stage, of.Warehouse); h != nil {
		d.refuse(r, h.Because().With(lifts(h)))
		return
	}
	d.already(r)
}

// liftsAlone says which command lifts a hold of the bot, which one to several stages leaves.
func liftsAlone(h *promotion.Hold) string {
	if !h.By.Bot() {
		return ""
	}
	return command.Write(promotion.Command{Verb: promotion.CmdUnhold, Stage: h.Stage, Rest: string(h.Warehouse)}) +
		" lifts that"
}

// lifts says which command lifts a hold that is wider than the one that was meant.
func lifts(h *promotion.Hold) string {
	if h.Stage == "" {
		return "every stage is held, and /unhold --all lifts that"
	}
	return "the whole stage is held, and /unhold " + string(h.Stage) + " lifts that"
}

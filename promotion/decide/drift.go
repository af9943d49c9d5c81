package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/drift"
)

// Drift (semantics 6.4): the files no longer say what the last promotion of a warehouse wrote into the stage. Package
// drift says how they differ; here that is noted, and answered once.

// compare notes on every stay that lasts how the files differ from what was written. Where nobody knows, what has been
// noted stays.
func compare(d *draft) {
	for i := range d.Stays {
		stay := &d.Stays[i]
		if stay.Ended() {
			continue
		}
		says, known := drift.Compare(&d.Snapshot, stay)
		switch {
		case d.Stage.Drift == promotion.DriftIgnore || known && len(says) == 0:
			agrees(d, i)
		case known && !slices.Equal(says, stay.Drift.Says):
			drifted(d, i, says)
		}
	}
}

// drifted notes that the files of the i-th stay differ, or differ otherwise than before.
func drifted(d *draft, i int, says []promotion.Value) {
	in := drift.FoundIn(&d.Snapshot, says, d.Stays[i].Drift.Says)
	stay := d.changeStay(i)
	stay.Drift = promotion.Drift{
		Says: says, Commit: in.Commit, By: in.By, At: d.now, Count: stay.Drift.Count + 1,
	}
	d.out.Log = append(d.out.Log, promotion.Entry{
		At: d.now, Stage: stay.Stage, Event: promotion.EventDrifted, SHA: stay.Drift.Commit, Reason: drift.Reason(stay),
		By: stay.Drift.By,
	})
}

// agrees notes that the files of the i-th stay say what was written, or that nobody wants to know.
func agrees(d *draft, i int) {
	if d.Stays[i].Drift.Stands() {
		stay := d.changeStay(i)
		stay.Drift = promotion.Drift{Count: stay.Drift.Count}
	}
}

// mend answers every drift that stands, once: with a repair where the pipeline file wants one and automation may, else
// by telling.
func mend(d *draft) {
	for i := range d.Stays {
		stay := &d.Stays[i]
		switch {
		case stay.Ended() || !stay.Drift.Stands() || drift.OnItsWay(&d.Snapshot, stay.Warehouse):
		case d.Stage.Drift == promotion.DriftRepair && drift.Tried(&d.Snapshot, stay.Drift):
			// what became of the repair is told by itself
		case d.Stage.Drift != promotion.DriftRepair || !repairable(d, stay):
			tellDrift(d, i)
		case !drift.Underway(&d.Snapshot, stay.Warehouse):
			repair(d, i)
		}
	}
}

// repairable reports whether automation may write again what a stay's promotion wrote: the policy lets the stage
// promote by itself, the freight is available as for any promotion and not known to be bad, and nobody insists: what
// was put back once and is changed to the same again is for people to settle.
func repairable(d *draft, stay *promotion.Stay) bool {
	if !d.Stage.Policy.Automatic || d.Stage.Strategy.External || stay.Verdict == promotion.Bad {
		return false
	}
	i := d.FreightAt(stay.Freight)
	return i >= 0 && d.gate().Available(i) && !drift.RepairedBefore(&d.Snapshot, stay)
}

// repair queues a promotion of the freight that the i-th stay hosts already. It is automatic in everything: behind what
// people asked for, stopped by every hold, superseded by newer freight. But it is not the automatic promotion of its
// freight, of which there is one ever, and it moves no mark.
func repair(d *draft, i int) {
	stay := d.changeStay(i)
	f := &d.Freight[d.FreightAt(stay.Freight)]
	stay.Drift.Repair = d.add(promotion.Promotion{
		Freight: f.Ref(), Class: promotion.Automatic,
		Repairs: true, Cause: stay.Promotion,
	})
}

// tellDrift owes a comment on the drift of the i-th stay, once.
func tellDrift(d *draft, i int) {
	if d.Stays[i].Drift.Told {
		return
	}
	stay := d.changeStay(i)
	stay.Drift.Told = true
	d.out.Effects = append(d.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: stay.Stage, Promotion: stay.Promotion, Round: int64(stay.Drift.Count),
		Freight: stay.Freight, Outcome: string(promotion.EventDrifted), Reason: drift.Reason(stay),
	})
}

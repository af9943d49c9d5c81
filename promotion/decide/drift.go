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
func (w *work) compare() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if stay.Ended() {
			continue
		}
		says, known := drift.Compare(&w.Snapshot, stay)
		switch {
		case w.Stage.Drift == promotion.DriftIgnore || known && len(says) == 0:
			w.agrees(i)
		case known && !slices.Equal(says, stay.Drift.Says):
			w.drifted(i, says)
		}
	}
}

// drifted notes that the files of the i-th stay differ, or differ otherwise than before.
func (w *work) drifted(i int, says []promotion.Value) {
	w.ownStays()
	stay := &w.Stays[i]
	in := drift.FoundIn(&w.Snapshot, says, stay.Drift.Says)
	stay.Drift = promotion.Drift{
		Says: says, Commit: in.Commit, By: in.By, At: w.now, Count: stay.Drift.Count + 1,
	}
	w.keepStay(i)
	w.out.Log = append(w.out.Log, promotion.Entry{
		At: w.now, Stage: stay.Stage, Event: promotion.EventDrifted, SHA: stay.Drift.Commit, Reason: drift.Reason(stay),
		By: stay.Drift.By,
	})
}

// agrees notes that the files of the i-th stay say what was written, or that nobody wants to know.
func (w *work) agrees(i int) {
	if !w.Stays[i].Drift.Stands() {
		return
	}
	w.ownStays()
	w.Stays[i].Drift = promotion.Drift{Count: w.Stays[i].Drift.Count}
	w.keepStay(i)
}

// mend answers every drift that stands, once: with a repair where the pipeline file wants one and automation may, else
// by telling.
func (w *work) mend() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		switch {
		case stay.Ended() || !stay.Drift.Stands() || drift.OnItsWay(&w.Snapshot, stay.Warehouse):
		case w.Stage.Drift == promotion.DriftRepair && drift.Tried(&w.Snapshot, stay.Drift):
			// what became of the repair is told by itself
		case w.Stage.Drift != promotion.DriftRepair || !w.repairable(stay):
			w.tellDrift(i)
		case !drift.Underway(&w.Snapshot, stay.Warehouse):
			w.repair(i)
		}
	}
}

// repairable reports whether automation may write again what a stay's promotion wrote: the policy lets the stage
// promote by itself, the freight is available as for any promotion and not known to be bad, and nobody insists: what
// was put back once and is changed to the same again is for people to settle.
func (w *work) repairable(stay *promotion.Stay) bool {
	i := w.FreightAt(stay.Freight)
	return w.Stage.Automatic && !w.Stage.External && stay.Verdict != promotion.Bad && i >= 0 && w.gate().Available(i) &&
		!drift.RepairedBefore(&w.Snapshot, stay)
}

// repair queues a promotion of the freight that the i-th stay hosts already. It is automatic in everything: behind what
// people asked for, stopped by every hold, superseded by newer freight. But it is not the automatic promotion of its
// freight, of which there is one ever, and it moves no mark.
func (w *work) repair(i int) {
	w.ownStays()
	stay := &w.Stays[i]
	f := &w.Freight[w.FreightAt(stay.Freight)]
	stay.Drift.Repair = w.add(promotion.Promotion{
		Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: promotion.Automatic,
		Repairs: true, Cause: stay.Promotion,
	})
	w.keepStay(i)
}

// tellDrift owes a comment on the drift of the i-th stay, once.
func (w *work) tellDrift(i int) {
	if w.Stays[i].Drift.Told {
		return
	}
	w.ownStays()
	stay := &w.Stays[i]
	stay.Drift.Told = true
	w.keepStay(i)
	w.out.Effects = append(w.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: stay.Stage, Promotion: stay.Promotion, Round: int64(stay.Drift.Count),
		Freight: stay.Freight, Outcome: string(promotion.EventDrifted), Reason: drift.Reason(stay),
	})
}

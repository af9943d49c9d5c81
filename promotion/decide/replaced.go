package decide

import (
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// A stage that gets targets, or loses all of them, is another place (semantics 5.13). What it hosted has left with the
// targets that are removed, and nothing is brought to the new ones by itself.

// leaveTargets ends what is said of targets when the stage is another place than before.
func (w *work) leaveTargets() {
	for i := range w.Stays {
		if stay := &w.Stays[i]; !stay.Ended() && rollout.ReplacedSince(&w.Snapshot, stay) {
			w.leaveStay(i, rollout.Removed(w.Stage, rollout.TargetsOf(stay.Parts)))
		}
	}
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State == promotion.Queued && len(p.Only) > 0 && !w.Stage.Rolls() {
			w.end(p.Number, promotion.Cancelled, rollout.Removed(w.Stage, p.Only))
		}
	}
}

// leaveStay ends the i-th stay, and its promotion if that has not ended.
func (w *work) leaveStay(i int, why promotion.Reason) {
	p := w.Promotion(w.Stays[i].Promotion)
	if w.writing(p) {
		return // until it is known whether that is there
	}
	w.ownStays()
	w.Stays[i].Left, w.Readings = w.now, nil
	w.saveStay(i)
	w.out.Log = append(w.out.Log,
		promotion.Entry{At: w.now, Stage: w.Stage.Name, Event: promotion.EventLeft, Reason: why})
	if p != nil && !p.State.Ended() {
		w.stop(p, why)
	}
}

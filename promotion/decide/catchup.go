package decide

import (
	"hash/fnv"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// A target that could not take part when freight was rolled out, or was not there yet, catches up by itself (semantics
// 5.1, 5.2): what the stage hosts is promoted once more, for such targets only, as soon as they may take part
// (promotion/rollout/late.go). That is as good as the promotion before: stopped by the same holds, asked for by the
// same person, and attempted once for each target.

// catchUp queues promotions for targets that can take part by now.
func (w *work) catchUp() {
	for i := range w.Stays {
		late := w.late(&w.Stays[i]).Ready
		if len(late) == 0 {
			continue
		}
		p := w.Promotion(w.Stays[i].Promotion)
		again := promotion.Promotion{Warehouse: p.Warehouse, Freight: p.Freight, FreightName: p.FreightName,
			Class: p.Class, By: p.By, Cause: p.Number, Only: late}
		if again.Class == promotion.Rollback {
			again.Class = promotion.Manual // nothing is gone back from any more
		}
		w.add(again)
	}
}

// wantLook asks what the files of targets say that lack what the stage hosts, as far as nobody knows: once for the same
// targets behind the same merge. A push that touches them is read anyway.
func (w *work) wantLook() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if unread := w.late(stay).Unread; len(unread) > 0 {
			w.wanted(promotion.Effect{Verb: promotion.Look, Promotion: stay.Promotion, Round: question(stay, unread)})
		}
	}
}

// question is a number for what is asked of some targets behind the latest merge.
func question(s *promotion.Stay, of []promotion.TargetName) int64 {
	sum := fnv.New32()
	for _, t := range of {
		sum.Write([]byte(t + " "))
	}
	sum.Write([]byte(s.Commit))
	return int64(sum.Sum32())
}

// late looks for targets that may catch up with a stay, and has the stage decided again when there may be others.
func (w *work) late(stay *promotion.Stay) rollout.Latecomers {
	late := rollout.Late(&w.Snapshot, stay, gates(w.gate()))
	w.wakeAt(late.Until)
	if late.Asks {
		w.expect(outlook{probes: stay.Promotion})
	}
	return late
}

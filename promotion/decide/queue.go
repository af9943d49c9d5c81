package decide

import (
	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/promotion/verify"
)

// The queue of a stage (semantics 3): one promotion at a time; rollbacks first, then what people asked for, then
// automation; within a class in the order in which they were queued.

// enqueue queues what has become available, where the policy lets freight be promoted without being asked. The
// candidate is newer than all freight of its warehouse that has had a promotion here, whatever became of it: nothing
// comes back by itself, and automation never goes backward.
func (w *work) enqueue() {
	if !w.Stage.Automatic || w.Stage.External || w.Stage.Delivery == promotion.DeliveryNone {
		return
	}
	for _, source := range w.Stage.From {
		if w.Stage.Queue == promotion.QueueFIFO {
			w.enqueueAll(source)
			continue
		}
		w.enqueueNewest(source)
	}
}

// enqueueNewest queues the newest available freight; it takes the place of older freight that still waits (Q9).
func (w *work) enqueueNewest(from promotion.Source) {
	i, until := w.gate().NewestAvailable(from, w.Mark(from.Warehouse))
	w.wakeAt(until)
	if i >= 0 {
		w.supersede(&w.Freight[i])
		w.enqueueAutomatic(&w.Freight[i])
	}
}

// enqueueAll queues all available freight, oldest first (Q10).
func (w *work) enqueueAll(from promotion.Source) {
	all, until := w.gate().AllAvailable(from, w.Mark(from.Warehouse))
	w.wakeAt(until)
	for _, i := range all {
		w.enqueueAutomatic(&w.Freight[i])
	}
}

func (w *work) enqueueAutomatic(f *promotion.Freight) {
	w.add(promotion.Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: promotion.Automatic,
		Automatic: true})
	w.promoted(f)
}

// supersede ends the automatic promotions of older freight that still wait. What is merged or being merged is left
// alone.
func (w *work) supersede(f *promotion.Freight) {
	for _, p := range w.Promotions {
		if p.Class == promotion.Automatic && p.Warehouse == f.Warehouse && (p.State == promotion.Queued || w.lies(&p)) {
			w.withdraw(p.Number, promotion.Superseded, promotion.Because(promotion.Newer, f.Name))
		}
	}
}

// lies reports whether a promotion has a pull request that Waybill does not merge: a person is to, and nobody has
// signed it off; or a stage upstream has found the freight bad.
func (w *work) lies(p *promotion.Promotion) bool {
	if p.State != promotion.Running && p.State != promotion.WaitingForMerge || w.writing(p) {
		return false
	}
	return w.Stage.Merge == promotion.MergeManual && !w.gate().SignedOff(p) && p.Step() <= 1 ||
		!w.gate().FailedUpstream(p).IsZero()
}

// drop ends what has lost its sense before it was merged: its warehouse is no longer one of the stage's, a stage
// upstream has found its freight bad since it was queued (A14), or automation would go backward with it.
func (w *work) drop() {
	for _, p := range w.Promotions {
		switch {
		case p.State.Ended() || p.State == promotion.Verifying || w.writing(&p):
		case !w.takes(p.Warehouse):
			w.withdraw(p.Number, promotion.Cancelled, promotion.Because(promotion.Removed, string(p.Warehouse)))
		case p.State == promotion.Queued:
			w.dropQueued(&p)
		}
	}
}

func (w *work) dropQueued(p *promotion.Promotion) {
	if by := w.overtakenBy(p); by != "" {
		w.end(p.Number, promotion.Superseded, promotion.Because(promotion.Newer, by))
	} else if why := drift.Needless(&w.Snapshot, p); !why.IsZero() {
		w.end(p.Number, promotion.Cancelled, why)
	} else if why := w.gate().FailedUpstream(p); !why.IsZero() {
		w.end(p.Number, promotion.Cancelled, why)
	}
}

// takes reports whether the stage takes freight from a warehouse.
func (w *work) takes(warehouse promotion.WarehouseName) bool {
	_, takes := w.Stage.Source(warehouse)
	return takes
}

// overtakenBy returns the name of the freight that the stage hosts when an automatic promotion would bring back older
// freight, because a person has promoted newer freight past it; else "".
func (w *work) overtakenBy(p *promotion.Promotion) string {
	h := w.Hosted(p.Warehouse)
	if p.Class != promotion.Automatic || h < 0 {
		return ""
	}
	i, hosted := w.FreightAt(p.Freight), w.FreightAt(w.Stays[h].Freight)
	if i < 0 || hosted < 0 || !w.Freight[i].Before(w.Freight[hosted]) {
		return ""
	}
	return w.Freight[hosted].Name
}

// next returns the promotion that is to start now, or nil. What is first in line but may not start now lets others
// pass.
func (w *work) next() (first *promotion.Promotion, o outlook) {
	for i := range w.Promotions {
		p := &w.Promotions[i]
		if p.State != promotion.Queued {
			continue
		}
		why, may := w.blocked(p)
		o = o.and(may)
		if why.IsZero() && (first == nil || p.GoesBefore(first)) {
			first = p
		}
	}
	return first, o
}

// blocked returns why a queued promotion may not start now, whatever else is queued; the zero reason if it may.
func (w *work) blocked(p *promotion.Promotion) (promotion.Reason, outlook) {
	if active := w.Active(); active != nil {
		return behind(active), outlook{}
	}
	if verify.JudgingAgain(&w.Snapshot) {
		return promotion.Because(promotion.Waiting), outlook{}
	}
	if why, until := w.gate().Stopped(p.Class); !why.IsZero() {
		return why, outlook{until: until}
	}
	i := w.FreightAt(p.Freight)
	switch {
	case i < 0:
		return promotion.Because(promotion.Unknown, p.FreightName), outlook{}
	case p.Class == promotion.Rollback:
		return promotion.Reason{}, outlook{}
	case p.Class == promotion.Automatic && !w.Stage.Automatic:
		return promotion.Because(promotion.Forbidden, string(promotion.Automatic)), outlook{}
	}
	if why, until := w.gate().Unavailable(i); !why.IsZero() {
		return why, outlook{until: until}
	}
	return w.noneReady(p)
}

// promoted moves the mark to f if it is newer.
func (w *work) promoted(f *promotion.Freight) {
	if !w.Mark(f.Warehouse).Before(f) {
		return
	}
	marks := []promotion.Mark{{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number}}
	for _, m := range w.Newest {
		if m.Warehouse != f.Warehouse {
			marks = append(marks, m)
		}
	}
	w.Newest = marks
}

package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/drift"
	"waybill/promotion/gate"
)

// The queue of a stage (semantics 3): one promotion at a time; rollbacks first, then requests of people, then
// automation; within a class in the order in which they were queued.

// enqueue queues freight that has become available, where the policy lets freight be promoted without being asked. The
// candidate is newer than all freight of its warehouse that has had a promotion here, in any state: nothing comes back
// by itself, and automation never goes backward.
func enqueue(d *draft) {
	if !d.Stage.Policy.Automatic || d.Stage.Strategy.External || d.Stage.Delivery == promotion.DeliveryNone {
		return
	}
	for _, source := range d.Stage.From {
		if d.Stage.Queue == promotion.QueueFIFO {
			enqueueAll(d, source)
			continue
		}
		enqueueNewest(d, source)
	}
}

// enqueueNewest queues the newest available freight. It takes the place of older freight that still waits.
func enqueueNewest(d *draft, from promotion.Source) {
	i, until := d.gate().NewestAvailable(from, d.Mark(from.Warehouse))
	d.wakeAt(until)
	if i >= 0 {
		supersede(d, &d.Freight[i])
		enqueueAutomatic(d, &d.Freight[i])
	}
}

// enqueueAll queues all available freight, oldest first (Q10).
func enqueueAll(d *draft, from promotion.Source) {
	all, until := d.gate().AllAvailable(from, d.Mark(from.Warehouse))
	d.wakeAt(until)
	for _, i := range all {
		enqueueAutomatic(d, &d.Freight[i])
	}
}

func enqueueAutomatic(d *draft, f *promotion.Freight) {
	if d.OpenOf(f.ID) != nil {
		return // a person has asked for it before it was available
	}
	d.add(promotion.Promotion{Freight: f.Ref(), Class: promotion.Automatic,
		Automatic: true})
	d.promoted(f)
}

// supersedeWaiting ends what still waits behind newer automatic promotions, where the stage takes the newest (Q9): the
// stage may have been told so only now, or a sign-off has been lost.
func supersedeWaiting(d *draft) {
	if d.Stage.Queue == promotion.QueueFIFO || !d.Contested() {
		return
	}
	for _, from := range d.Stage.From {
		if f := newestAutomatic(d, from.Warehouse); f != nil {
			supersede(d, f)
		}
	}
}

// newestAutomatic returns the newest available freight of a warehouse that an open automatic promotion brings; nil if
// there is none.
func newestAutomatic(d *draft, w promotion.WarehouseName) (newest *promotion.Freight) {
	for k := range d.Promotions {
		p := &d.Promotions[k]
		i := d.FreightAt(p.Freight.ID)
		if p.State.Ended() || p.Class != promotion.Automatic || p.Freight.Warehouse != w || i < 0 ||
			newest != nil && d.Freight[i].Before(*newest) {
			continue
		}
		if why, _ := d.gate().Barred(p); why.IsZero() {
			newest = &d.Freight[i]
		}
	}
	return newest
}

// supersede ends the automatic promotions of freight older than f that still wait. Those that are merged or being
// merged are left alone.
func supersede(d *draft, f *promotion.Freight) {
	for _, p := range d.Promotions {
		i := d.FreightAt(p.Freight.ID)
		if p.Class != promotion.Automatic || p.Freight.Warehouse != f.Warehouse || i < 0 || !d.Freight[i].Before(*f) {
			continue
		}
		if p.State == promotion.Queued || leftToPeople(&d.Snapshot, &p, d.now) {
			d.withdraw(p.Number, promotion.Superseded, promotion.Because(promotion.Newer, f.Name))
		}
	}
}

// leftToPeople reports whether a promotion has a pull request that a person has to merge, and none has signed it off.
func leftToPeople(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) bool {
	if p.State != promotion.Running && p.State != promotion.WaitingForMerge || writing(s, p) {
		return false
	}
	nothingMerged := !p.Rolls() || p.Rollout.Merged == 0
	return s.Stage.Merge.By == promotion.MergeManual && !gate.KeeperOf(s, now).SignedOff(p) && nothingMerged
}

// drop ends promotions that are pointless and not merged: the warehouse is no longer one of the stage's, the drift that
// they repair is gone, or automation would go backward with them.
func drop(d *draft) {
	for _, p := range d.Promotions {
		_, takes := d.Stage.Source(p.Freight.Warehouse)
		switch {
		case p.State.Ended() || p.State == promotion.Verifying || writing(&d.Snapshot, &p):
		case !takes:
			d.withdraw(p.Number, promotion.Cancelled, promotion.Because(promotion.Removed, string(p.Freight.Warehouse)))
		case p.State == promotion.Queued:
			dropQueued(d, &p)
		}
	}
}

func dropQueued(d *draft, p *promotion.Promotion) {
	if by := overtakenBy(&d.Snapshot, p); by != "" {
		d.end(p.Number, promotion.Superseded, promotion.Because(promotion.Newer, by))
	} else if i := d.FreightAt(p.Freight.ID); p.Early && i >= 0 && d.Mark(p.Freight.Warehouse).After(&d.Freight[i]) {
		d.end(p.Number, promotion.Superseded, promotion.Because(promotion.Newer, lastPromoted(d, p.Freight.Warehouse)))
	} else if why := drift.Needless(&d.Snapshot, p); !why.IsZero() {
		d.end(p.Number, promotion.Cancelled, why)
	}
}

// lastPromoted returns the name of the newest freight of a warehouse that has had a promotion in the stage.
func lastPromoted(d *draft, w promotion.WarehouseName) string {
	mark := d.Mark(w)
	for i := range d.Freight {
		if f := &d.Freight[i]; f.Warehouse == w && !mark.Before(f) && !mark.After(f) {
			return f.Name
		}
	}
	return ""
}

// overtakenBy returns the name of the freight that the stage hosts when an automatic promotion would bring back older
// freight, because a person has promoted newer freight past it; else "".
func overtakenBy(s *promotion.Snapshot, p *promotion.Promotion) string {
	if p.Class != promotion.Automatic || !command.GoesBack(s, p.Freight) {
		return ""
	}
	return s.NameOf(s.Deployments[s.Hosted(p.Freight.Warehouse)].Freight)
}

// promoted moves the mark to f if it is newer.
func (d *draft) promoted(f *promotion.Freight) {
	if !d.Mark(f.Warehouse).Before(f) {
		return
	}
	marks := []promotion.Mark{f.Mark()}
	for _, m := range d.Newest {
		if m.Warehouse != f.Warehouse {
			marks = append(marks, m)
		}
	}
	d.Newest = marks
}

package promotion

import "slices"

// The queue of a stage (semantics 3): one promotion at a time; rollbacks first, then what people asked for, then
// automation; within a class in the order in which they were queued.

// enqueue queues what has become available, where the policy lets freight be promoted without being asked. The
// candidate is newer than all freight of its warehouse that has had a promotion here, whatever became of it: nothing
// comes back by itself, and automation never goes backward.
func (w *work) enqueue() {
	if !w.Stage.Automatic || w.Stage.External || w.Stage.PassThrough() {
		return
	}
	for _, source := range w.Stage.From {
		if w.Stage.Queue == QueueFIFO {
			w.enqueueAll(source)
			continue
		}
		w.enqueueNewest(source)
	}
}

// enqueueNewest queues the newest available freight; it takes the place of older freight that still waits (Q9).
func (w *work) enqueueNewest(from Source) {
	mark, now, first := w.mark(from.Warehouse), instantOf(w.now), never
	defer func() { w.wakeFor(first) }()
	for i := len(w.Freight) - 1; i >= 0; i-- {
		f := &w.Freight[i]
		if f.Warehouse != from.Warehouse {
			continue
		}
		if !mark.before(f) {
			return
		}
		if t := w.availableBehind(from.After, i, now); t > now {
			first = min(first, t)
			continue
		}
		w.supersede(f)
		w.enqueueAutomatic(f)
		return
	}
}

// enqueueAll queues all available freight, oldest first (Q10).
func (w *work) enqueueAll(from Source) {
	mark, now, first := w.mark(from.Warehouse), instantOf(w.now), never
	for i := range w.Freight {
		f := &w.Freight[i]
		if f.Warehouse != from.Warehouse || !mark.before(f) {
			continue
		}
		if t := w.availableBehind(from.After, i, now); t > now {
			first = min(first, t)
			continue
		}
		w.enqueueAutomatic(f)
	}
	w.wakeFor(first)
}

func (w *work) enqueueAutomatic(f *Freight) {
	w.add(Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: Automatic, Automatic: true})
	w.promoted(f)
}

// supersede ends the automatic promotions of older freight that still wait. What is merged or being merged is left alone.
func (w *work) supersede(f *Freight) {
	for _, p := range w.Promotions {
		if p.Class == Automatic && p.Warehouse == f.Warehouse && (p.State == Queued || w.lies(&p)) {
			w.withdraw(p.Number, Superseded, Because(Newer, f.Name))
		}
	}
}

// lies reports whether a promotion has a pull request that Waybill does not merge: a person is to, and nobody has signed
// it off; or a stage upstream has found the freight bad.
func (w *work) lies(p *Promotion) bool {
	if p.State != Running && p.State != WaitingForMerge || w.writing(p) {
		return false
	}
	return w.Stage.Merge == MergeManual && !w.signedOff(p) && p.step() <= 1 || !w.failedUpstream(p).IsZero()
}

// signedOff reports whether somebody has signed off what the promotion would write now. A sign-off of something else is
// void (semantics 4.4).
func (w *work) signedOff(p *Promotion) bool {
	return slices.ContainsFunc(w.Approvals, func(a Approval) bool { return w.signsOff(&a, p) })
}

// signsOff reports whether the approval is a sign-off of what the promotion would write now.
func (w *work) signsOff(a *Approval, p *Promotion) bool {
	return a.Kind == SignOff && a.Freight == p.Freight && a.Plan == w.visible(p) && a.Stands(w.now)
}

// drop ends what has lost its sense before it was merged: its warehouse is no longer one of the stage's, a stage upstream
// has found its freight bad since it was queued (A14), or automation would go backward with it.
func (w *work) drop() {
	for _, p := range w.Promotions {
		switch {
		case p.State.Ended() || p.State == Verifying || w.writing(&p):
		case !w.takes(p.Warehouse):
			w.withdraw(p.Number, Cancelled, Because(Removed, string(p.Warehouse)))
		case p.State == Queued:
			w.dropQueued(&p)
		}
	}
}

func (w *work) dropQueued(p *Promotion) {
	if by := w.overtakenBy(p); by != "" {
		w.end(p.Number, Superseded, Because(Newer, by))
	} else if why := w.needless(p); !why.IsZero() {
		w.end(p.Number, Cancelled, why)
	} else if why := w.failedUpstream(p); !why.IsZero() {
		w.end(p.Number, Cancelled, why)
	}
}

// takes reports whether the stage takes freight from a warehouse.
func (w *work) takes(warehouse WarehouseName) bool {
	_, takes := w.Stage.Source(warehouse)
	return takes
}

// failedUpstream returns why the freight is not available any more when a stage upstream has found it bad; else the zero
// reason. A rollback needs no upstream.
func (w *work) failedUpstream(p *Promotion) Reason {
	i := w.freight(p.Freight)
	if p.Class == Rollback || i < 0 || w.available(i) {
		return Reason{}
	}
	if why := w.whyNotAvailable(i); why.Code == FailedCheck {
		return why
	}
	return Reason{}
}

// overtakenBy returns the name of the freight that the stage hosts when an automatic promotion would bring back older
// freight, because a person has promoted newer freight past it; else "".
func (w *work) overtakenBy(p *Promotion) string {
	h := w.hosted(p.Warehouse)
	if p.Class != Automatic || h < 0 {
		return ""
	}
	i, hosted := w.freight(p.Freight), w.freight(w.Stays[h].Freight)
	if i < 0 || hosted < 0 || !w.Freight[i].Before(w.Freight[hosted]) {
		return ""
	}
	return w.Freight[hosted].Name
}

// next returns the promotion that is to start now, or nil. What is first in line but may not start now lets others pass.
func (w *work) next() *Promotion {
	var first *Promotion
	for i := range w.Promotions {
		p := &w.Promotions[i]
		if p.State == Queued && w.blocked(p).IsZero() && (first == nil || p.goesBefore(first)) {
			first = p
		}
	}
	return first
}

// goesBefore reports whether p is ahead of q in the queue.
func (p *Promotion) goesBefore(q *Promotion) bool {
	if p.Class.rank() != q.Class.rank() {
		return p.Class.rank() < q.Class.rank()
	}
	return p.Place < q.Place
}

// blocked returns why a queued promotion may not start now, whoever else waits; the zero reason if it may.
func (w *work) blocked(p *Promotion) Reason {
	if active := w.active(); active != nil {
		return active.behind()
	}
	if w.judgingAgain() {
		return Because(Waiting)
	}
	if r := w.stopped(p.Class); !r.IsZero() {
		return r
	}
	i := w.freight(p.Freight)
	switch {
	case i < 0:
		return Because(Unknown, p.FreightName)
	case p.Class == Rollback:
		return Reason{}
	case p.Class == Automatic && !w.Stage.Automatic:
		return Because(Forbidden, string(Automatic))
	}
	if now := instantOf(w.now); w.availableFrom(i, now) > now {
		w.wakeFor(w.availableFrom(i, now))
		return w.whyNotAvailable(i)
	}
	return w.noneReady(p)
}

// mark returns how far the stage has come in a warehouse's order.
func (s *Snapshot) mark(warehouse WarehouseName) Mark {
	for _, m := range s.Newest {
		if m.Warehouse == warehouse {
			return m
		}
	}
	return Mark{Warehouse: warehouse}
}

// before reports whether f comes after the mark, that is, is newer than everything promoted.
func (m Mark) before(f *Freight) bool {
	if c := m.Merged.Compare(f.Merged); c != 0 {
		return c < 0
	}
	return m.Number < f.Number
}

// promoted moves the mark to f if it is newer.
func (w *work) promoted(f *Freight) {
	if !w.mark(f.Warehouse).before(f) {
		return
	}
	marks := []Mark{{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number}}
	for _, m := range w.Newest {
		if m.Warehouse != f.Warehouse {
			marks = append(marks, m)
		}
	}
	w.Newest = marks
}

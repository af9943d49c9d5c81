package decide

import (
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// giveWay ends promotions of freight that is not available any more, so that nothing waits behind them for ever
// (semantics 3.6). One that has started gives way when another may start in its place: at once to newer freight of its
// warehouse where the stage takes the newest, else if its own freight can come no more, or who asked for it may not.
// One that is queued lets others pass anyway, and ends when its freight can come no more and newer freight of its
// warehouse has gone ahead. With nothing behind it a promotion waits, and its sign-offs stay.
func giveWay(d *draft) {
	if !d.Contested() {
		return
	}
	for _, p := range d.Promotions {
		i := d.FreightAt(p.Freight.ID)
		if p.State == promotion.Queued && i >= 0 && giveWayUnread(d, &p, i) {
			continue
		}
		why, _ := d.gate().Barred(&p)
		disowned, again := d.gate().Disowned(&p)
		if why.IsZero() && again.IsZero() {
			why = disowned
		}
		if p.State.Ended() || i < 0 || why.IsZero() || writing(&d.Snapshot, &p) {
			continue
		}
		if p.State == promotion.Queued {
			giveWayQueued(d, &p, i)
		} else if between(&d.Snapshot, &p) {
			giveWayStarted(d, &p, i, why)
		}
	}
}

// giveWayUnread ends a queued promotion that waits for its files once newer freight of its warehouse has gone past it:
// it would go back to older freight when they are there. It reports whether it did.
func giveWayUnread(d *draft, p *promotion.Promotion, i int) bool {
	if why, _ := unreadable(&d.Snapshot, p, d.now); why.IsZero() {
		return false
	}
	newer := passed(&d.Snapshot, p, i)
	if newer != "" {
		d.yield(p, promotion.Superseded, promotion.Because(promotion.Newer, newer))
	}
	return newer != ""
}

// giveWayQueued ends a queued promotion whose freight can come no more, once newer freight of its warehouse is there or
// on its way there.
func giveWayQueued(d *draft, p *promotion.Promotion, i int) {
	if newer := aheadOf(&d.Snapshot, i); newer != "" && !d.gate().CanStillCome(i) {
		d.yield(p, promotion.Superseded, promotion.Because(promotion.Newer, newer))
	}
}

// giveWayStarted ends a promotion that has started, and is not merged or rests between two steps.
func giveWayStarted(d *draft, p *promotion.Promotion, i int, why promotion.Reason) {
	disowned, _ := d.gate().Disowned(p)
	lost := !d.gate().CanStillCome(i) || !disowned.IsZero()
	for k := range d.Promotions {
		q := &d.Promotions[k]
		if q.State != promotion.Queued {
			continue
		}
		f := d.FreightAt(q.Freight.ID)
		newer := f >= 0 && q.Freight.Warehouse == p.Freight.Warehouse && d.Freight[i].Before(d.Freight[f]) &&
			d.Stage.Queue != promotion.QueueFIFO
		if !newer && !lost {
			continue
		}
		if stops := startable(&d.Snapshot, q, d.now); !stops.IsZero() {
			continue
		}
		if newer {
			d.yield(p, promotion.Superseded, promotion.Because(promotion.Newer, q.Freight.Name))
		} else {
			d.yield(p, promotion.Cancelled, why)
		}
		return
	}
}

// yield ends a promotion that gives way. What of a rollout is merged stays, unverified. A person who asked for it is
// told.
func (d *draft) yield(p *promotion.Promotion, state promotion.State, why promotion.Reason) {
	if i := d.DeploymentOf(p.Number); i >= 0 {
		d.record(i, verify.Opinion{Verdict: promotion.Undecided, At: d.now, Reason: why})
	}
	if p.State == promotion.Verifying {
		d.end(p.Number, state, why)
	} else {
		d.withdraw(p.Number, state, why)
	}
	if p.Class == promotion.Manual {
		d.tell(d.Promotion(p.Number), string(state), why)
	}
}

// between reports whether a promotion that has started has brought nothing that waits for its verdict: it is not
// merged, or it is a rollout all of whose targets so far have been judged.
func between(s *promotion.Snapshot, p *promotion.Promotion) bool {
	if p.State != promotion.Verifying {
		return true
	}
	return p.Rolls() && !rollout.Judging(s, p)
}

// aheadOf returns the name of freight of the same warehouse, newer than the i-th, that the stage hosts or that has
// started there; "" if there is none.
func aheadOf(s *promotion.Snapshot, i int) string {
	f := &s.Freight[i]
	newer := func(id promotion.FreightID) bool {
		k := s.FreightAt(id)
		return k >= 0 && s.Freight[k].Warehouse == f.Warehouse && f.Before(s.Freight[k])
	}
	if p := s.Active(); p != nil && newer(p.Freight.ID) {
		return p.Freight.Name
	}
	if h := s.Hosted(f.Warehouse); h >= 0 && newer(s.Deployments[h].Freight) {
		return s.NameOf(s.Deployments[h].Freight)
	}
	return ""
}

package gate

import (
	"time"

	"waybill/promotion"
)

// Available reports whether the i-th freight is available to the stage (semantics 2), for automation and for requests
// of people alike.
func (k Keeper) Available(i int) bool { return k.availableFrom(i) <= k.instant }

// availableFrom returns since when, or from when on, the i-th freight is available to the stage.
func (k Keeper) availableFrom(i int) instant {
	source, takes := k.s.Stage.Source(k.s.Freight[i].Warehouse)
	if !takes {
		return never
	}
	return k.availableBehind(source.After, i)
}

// availableBehind is availableFrom for freight that the stage takes from behind a gate, or straight from the
// warehouse.
func (k Keeper) availableBehind(g *promotion.Gate, i int) instant {
	switch {
	case len(k.lacking(i)) > 0:
		return never
	case k.refusedHere(g, i) != nil:
		return never
	case k.admitted(k.s.Freight[i].ID) && k.refused(g, i) == nil:
		return always
	}
	return k.opens(g, i, 0)
}

// admitted reports whether an admission of the freight counts now.
func (k Keeper) admitted(f promotion.FreightID) bool {
	for i := range k.s.Approvals {
		a := &k.s.Approvals[i]
		if a.Kind == promotion.Admission && a.Freight == f && a.Stands(k.now()) {
			return true
		}
	}
	return false
}

// opens returns when a gate lets the i-th freight through: when the last of the upstream stages that it needs has
// verified the freight and hosted it for the soak, each of them by itself.
func (k Keeper) opens(g *promotion.Gate, i int, soak time.Duration) instant {
	if g == nil {
		return always
	}
	soak = max(soak, g.Soak)
	switch g.Need {
	case len(g.Of):
		return k.latest(g, i, soak)
	case 1:
		return k.earliest(g, i, soak)
	}
	var few [8]instant // room for most gates
	times := few[:0]
	for _, up := range g.Of {
		times = insert(times, k.passedBy(up, i, soak))
	}
	return times[g.Need-1]
}

// insert adds t to times, which are in order.
func insert(times []instant, t instant) []instant {
	times = append(times, t)
	for i := len(times) - 1; i > 0 && times[i] < times[i-1]; i-- {
		times[i], times[i-1] = times[i-1], times[i]
	}
	return times
}

// earliest returns when the first upstream stage of a gate lets the i-th freight pass.
func (k Keeper) earliest(g *promotion.Gate, i int, soak time.Duration) instant {
	first := never
	for _, up := range g.Of {
		first = min(first, k.passedBy(up, i, soak))
	}
	return first
}

// latest returns when the last upstream stage of a gate lets the i-th freight pass.
func (k Keeper) latest(g *promotion.Gate, i int, soak time.Duration) instant {
	last := always
	for _, up := range g.Of {
		t := k.passedBy(up, i, soak)
		if t == never {
			return never
		}
		last = max(last, t)
	}
	return last
}

// passedBy returns when an upstream stage has verified the i-th freight and hosted it for soak; never if it was
// rejected there. A pass-through stage has when its own upstream stages have, for the longer of both soaks.
func (k Keeper) passedBy(up *promotion.Stage, i int, soak time.Duration) instant {
	if k.s.Rejected(up.Name, &k.s.Freight[i]) != nil {
		return never
	}
	if up.Delivery == promotion.DeliveryNone {
		return k.passedThrough(up, i, soak)
	}
	if r := k.record(up, i); r != nil {
		return soakedFrom(r, soak)
	}
	return never
}

// passedThrough is passedBy for a pass-through stage. A hold of it passes nothing on, a freeze of it not before its
// end.
func (k Keeper) passedThrough(up *promotion.Stage, i int, soak time.Duration) instant {
	source, takes := up.Source(k.s.Freight[i].Warehouse)
	if !takes || k.Hold(up.Name, source.Warehouse) != nil {
		return never
	}
	return max(k.opens(source.After, i, soak), k.thaws(up))
}

// record returns the history of the i-th freight in an upstream stage, or nil if the snapshot has none.
func (k Keeper) record(up *promotion.Stage, i int) *promotion.Record {
	if up.Index >= len(k.s.Records) || i >= len(k.s.Records[up.Index]) {
		return nil
	}
	return &k.s.Records[up.Index][i]
}

package gate

import (
	"time"

	"waybill/promotion"
)

// CanStillCome reports whether freight that is not available may yet become so without anybody's help: enough of its
// upstream stages vouch for it, host it, have it queued or on its way, or may still take it by themselves. A person may
// always bring it, by an admission or by promoting it upstream; nobody waits for that.
func (k Keeper) CanStillCome(i int) bool {
	source, takes := k.s.Stage.Source(k.s.Freight[i].Warehouse)
	return takes && k.refusedHere(source.After, i) == nil && k.mayOpen(source.After, i, 0)
}

// mayOpen reports whether a gate may yet let the i-th freight through. The soak of a gate behind which a pass-through
// stage stands is that of both.
func (k Keeper) mayOpen(g *promotion.Gate, i int, soak time.Duration) bool {
	if g == nil {
		return true
	}
	soak = max(soak, g.Soak)
	may := 0
	for _, up := range g.Of {
		if k.mayPass(up, i, soak) {
			may++
		}
	}
	return may >= g.Need
}

// mayPass reports whether a stage upstream may yet vouch for the i-th freight.
func (k Keeper) mayPass(up *promotion.Stage, i int, soak time.Duration) bool {
	source, takes := up.Source(k.s.Freight[i].Warehouse)
	if k.s.Rejected(up.Name, &k.s.Freight[i]) != nil {
		return false // a person decides
	}
	if up.Delivery == promotion.DeliveryNone {
		return takes && k.mayOpen(source.After, i, soak)
	}
	if k.passedBy(up, i, soak) != never {
		return true
	}
	r := k.record(up, i)
	switch {
	case r == nil:
		return false
	case r.Hosted, r.Coming:
		return true
	}
	return takes && !r.Taken && up.Policy.Automatic && !up.Strategy.External
}

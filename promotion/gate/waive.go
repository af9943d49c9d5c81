package gate

import (
	"slices"

	"waybill/promotion"
)

// Waived reports whether a promotion needs no sign-offs, because it is a rollback to what the stage had verified last
// before what is there now (semantics 4.13). So it goes back by one step only: what is there now must have come
// forward. What was rejected or taken back since needs sign-offs, and so does every rollback where the policy says so.
func (k Keeper) Waived(p *promotion.Promotion) bool {
	if of := k.completes(p); of != nil {
		p = of // what it has left out is as good
	}
	if p.Class != promotion.Rollback || k.s.Stage.Policy.SignRollbacks {
		return false
	}
	stays := k.staysBefore(p)
	if len(stays) == 0 {
		return false
	}
	leaves := k.s.Deployments[stays[0]].Freight
	stays = slices.DeleteFunc(stays, func(i int) bool { return k.s.Deployments[i].Freight == leaves })
	if len(stays) == 0 || !k.older(k.s.Deployments[stays[0]].Freight, leaves) {
		return false
	}
	last := slices.IndexFunc(stays, func(i int) bool { return k.s.VerifiedHere(k.s.Deployments[i].Freight) })
	f := k.s.FreightAt(p.Freight.ID)
	return last >= 0 && f >= 0 && k.s.Deployments[stays[last]].Freight == p.Freight.ID && k.older(p.Freight.ID, leaves) &&
		k.s.Rejected(k.s.Stage.Name, &k.s.Freight[f]) == nil && !k.s.TakenBack(&k.s.Freight[f])
}

// staysBefore returns the indices of the deployments of a promotion's warehouse before its own, the newest first: that
// which the promotion leaves, and those before it. There are none if the stage hosts nothing that it could leave.
// Rollbacks of single targets to the same freight, one after the other, are one step.
func (k Keeper) staysBefore(p *promotion.Promotion) (stays []int) {
	own := k.s.DeploymentOf(p.Number)
	if own < 0 && k.s.Hosted(p.Freight.Warehouse) < 0 {
		return nil
	}
	for i := range slices.Backward(k.s.Deployments) {
		d := &k.s.Deployments[i]
		if d.Warehouse != p.Freight.Warehouse || own >= 0 && i >= own {
			continue
		}
		by := k.s.Promotion(d.Promotion)
		if len(stays) > 0 || d.Freight != p.Freight.ID || by == nil || !by.GoesPartlyBack() {
			stays = append(stays, i)
		}
	}
	return stays
}

// older reports whether one freight is older than another one; false if one of them is not known any more.
func (k Keeper) older(one, other promotion.FreightID) bool {
	i, j := k.s.FreightAt(one), k.s.FreightAt(other)
	return i >= 0 && j >= 0 && k.s.Freight[i].Before(k.s.Freight[j])
}

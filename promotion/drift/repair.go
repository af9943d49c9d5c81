package drift

import (
	"slices"

	"waybill/promotion"
)

// Tried reports whether a drift has had its repair. One that newer freight took the place of does not count.
func Tried(s *promotion.Snapshot, d promotion.Drift) bool {
	p := s.Promotion(d.Repair)
	return d.Repair != 0 && (p == nil || p.State != promotion.Superseded)
}

// RepairedBefore reports whether a drift of the same freight to the same values was repaired in an earlier deployment.
func RepairedBefore(s *promotion.Snapshot, deployment *promotion.Deployment) bool {
	return slices.ContainsFunc(s.Deployments, func(past promotion.Deployment) bool {
		return past.Ended() && past.Freight == deployment.Freight && past.Drift.Repair != 0 &&
			slices.Equal(past.Drift.Says, deployment.Drift.Says)
	})
}

// Underway reports whether a promotion of a warehouse's freight has not ended: it writes the same as a repair would, or
// newer freight.
func Underway(s *promotion.Snapshot, warehouse promotion.WarehouseName) bool {
	return slices.ContainsFunc(s.Promotions, func(p promotion.Promotion) bool {
		return p.Freight.Warehouse == warehouse && !p.State.Ended()
	})
}

// Needless returns why a repair that waits has lost its sense; the zero reason if it has not, if a person has asked for
// it meanwhile, or if the promotion is no repair.
func Needless(s *promotion.Snapshot, p *promotion.Promotion) promotion.Reason {
	h := s.Hosted(p.Freight.Warehouse)
	switch {
	case !p.Repairs || p.Class != promotion.Automatic:
		return promotion.Reason{}
	case s.Stage.Drift != promotion.DriftRepair:
		return promotion.Because(promotion.Removed, "drift: repair")
	case h >= 0 && !s.Deployments[h].Drift.Stands():
		return promotion.Because(promotion.NoChange)
	}
	return promotion.Reason{}
}

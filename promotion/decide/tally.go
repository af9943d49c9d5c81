package decide

import "waybill/promotion"

// Tally counts how the targets of a promotion stand; all zero without a rollout.
func TallyIn(s *promotion.Snapshot, p *promotion.Promotion) promotion.Tally {
	return promotion.TallyOf(TargetsOf(s, p))
}

// Targets returns how the targets of a promotion of the snapshot stand.
func TargetsOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetStanding {
	all, now := p.Targets(partsOf(s, p)), *s // which keeps what it has looked up
	for i := range all {
		if all[i].State == promotion.TargetWaiting {
			all[i].Cause = now.Lacks(all[i].Target)
		}
	}
	return all
}

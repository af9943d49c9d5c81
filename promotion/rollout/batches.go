package rollout

import (
	"slices"

	"waybill/promotion"
)

// Unhealthy is the name of the batch with which a rollback begins.
const Unhealthy = "unhealthy"

// batchesOf returns the batches by which a promotion goes through its targets: those of the pipeline file. A rollback
// goes first, and at once, to the targets that need it most: those that failed, are not verified, or have drifted from
// what they should have. The healthy ones follow by their batches, without waits: what is bad is not left anywhere
// longer than it takes to see that going back works.
func batchesOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.Batch {
	if p.Class != promotion.Rollback || !s.Stage.Rolls() {
		return s.Stage.Strategy.Batches
	}
	unhealthy := unhealthyTargets(s, p)
	var all []promotion.Batch
	if len(unhealthy) > 0 {
		all = append(all, promotion.Batch{Name: Unhealthy, Targets: unhealthy, AtOnce: len(unhealthy)})
	}
	for _, b := range s.Stage.Strategy.Batches {
		b.Wait = 0
		b.Targets = slices.DeleteFunc(slices.Clone(b.Targets), func(t promotion.TargetName) bool {
			return slices.Contains(unhealthy, t)
		})
		if len(b.Targets) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// unhealthyTargets returns the targets of a rollback that have not verified what they have, or whose files say
// something else, in the order of the batches.
func unhealthyTargets(s *promotion.Snapshot, p *promotion.Promotion) (names []promotion.TargetName) {
	last := lastResults(s, p)
	for _, b := range s.Stage.Strategy.Batches {
		for _, t := range b.Targets {
			was, known := last[t]
			target := s.Stage.Target(t)
			if !known || target == nil || !p.GoesTo(t) || was.deployment.Freight == p.Freight.ID {
				continue
			}
			if was.result.Verdict != promotion.Passed || drifted(target, was.deployment.Drift) {
				names = append(names, t)
			}
		}
	}
	return names
}

package rollout

import (
	"slices"

	"waybill/promotion"
)

// Unhealthy is the name of the batch with which a rollback begins.
const Unhealthy = "unhealthy"

// Back is the name of the only batch of a rollback whose stage says how many targets it takes at once.
const Back = "rollback"

// batchesOf returns the batches by which a promotion goes through its targets: those of the pipeline file. A rollback
// goes first, and at once, to the targets that need it most: those that failed, are not verified, or have drifted from
// what they should have. The healthy ones follow by their batches, without waits: what is bad is not left anywhere
// longer than it takes to see that going back works. Where the pipeline file says how many targets a rollback takes at
// once, it does so from the first to the last.
func batchesOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.Batch {
	if p.Class != promotion.Rollback || !s.Stage.Rolls() {
		return s.Stage.Strategy.Batches
	}
	unhealthy := unhealthyTargets(s, p)
	var all []promotion.Batch
	if len(unhealthy) > 0 {
		all = append(all, promotion.Batch{Name: Unhealthy, Targets: unhealthy, AtOnce: together(s.Stage, unhealthy)})
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
	if s.Stage.Strategy.BackAtOnce > 0 {
		return []promotion.Batch{asOne(all, s.Stage.Strategy.BackAtOnce)}
	}
	return all
}

// asOne returns a batch with the targets of others, in their order.
func asOne(batches []promotion.Batch, atOnce int) promotion.Batch {
	one := promotion.Batch{Name: Back, AtOnce: atOnce}
	for _, b := range batches {
		one.Targets, one.Approvals = append(one.Targets, b.Targets...), max(one.Approvals, b.Approvals)
	}
	return one
}

// maxTold is how many pairs of matchers are compared. The pipeline file is judged by as many.
const maxTold = 1_000_000

// together returns how many of some targets may be updated at once: all, or one if one pull request could update two
// that a signal does not tell apart (semantics 5.4).
func together(s *promotion.Stage, names []promotion.TargetName) int {
	if s.Strategy.PerTarget {
		return len(names)
	}
	earlier := make(map[promotion.Branch][]promotion.Matcher)
	compared := 0
	for _, name := range names {
		on, own := s.Target(name).Files, s.Target(name).Verify
		for i := range own {
			if compared += len(earlier[on]); compared > maxTold {
				return len(names)
			}
			if slices.ContainsFunc(earlier[on], func(m promotion.Matcher) bool { return m.Overlaps(&own[i]) }) {
				return 1
			}
		}
		earlier[on] = append(earlier[on], own...)
	}
	return len(names)
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

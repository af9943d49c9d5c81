package rollout

import (
	"slices"

	"waybill/promotion"
)

// ResultsOf returns the targets to which a promotion has brought its freight, and those that had it before.
func ResultsOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetResult {
	if i := s.DeploymentOf(p.Number); i >= 0 {
		return s.Deployments[i].Results
	}
	if p.Rollout == nil || p.State.Ended() {
		return nil
	}
	return kept(s, p)
}

// HasBrought reports whether a target is one of those that ResultsOf returns.
func HasBrought(s *promotion.Snapshot, p *promotion.Promotion, t promotion.TargetName) bool {
	return slices.ContainsFunc(ResultsOf(s, p), func(result promotion.TargetResult) bool { return result.Target == t })
}

// kept returns the targets that a promotion passes over because its freight was the last that came there: those where
// it is verified, and those where it has failed if the promotion does not go there. So a retry passes over good
// targets, a rollback targets that were never updated, and a promotion to one target everything else. Files that have
// changed since are written again, and a target without a verdict is still to come.
func kept(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetResult {
	return broughtBefore(s, p, p.GoesTo)
}

func broughtBefore(
	s *promotion.Snapshot, p *promotion.Promotion, goes func(promotion.TargetName) bool,
) (results []promotion.TargetResult) {
	last, gained := lastResults(s, p), gainedIn(s, p)
	for i := range s.Stage.Targets {
		t := &s.Stage.Targets[i]
		at, found := last[t.Name]
		if !found || at.deployment.Freight != p.Freight.ID || drifted(t, at.deployment.Drift) ||
			goes(t.Name) && gained(t) {
			continue
		}
		if result := *at.result; result.Verdict == promotion.Passed || result.Verdict == promotion.Bad && !goes(t.Name) {
			result.Step = 0
			results = append(results, result)
		}
	}
	return results
}

// gainedIn returns a function that reports whether a promotion writes values into a target that the pipeline file has
// only since its freight came there. Only what a person has asked for writes them (semantics 5.15).
func gainedIn(s *promotion.Snapshot, p *promotion.Promotion) func(*promotion.Target) bool {
	h := s.Hosted(p.Freight.Warehouse)
	if p.Class != promotion.Manual || h < 0 || s.Deployments[h].Freight != p.Freight.ID {
		return func(*promotion.Target) bool { return false }
	}
	d := &s.Deployments[h]
	wrote := promotion.TextsOf(d.Wrote)
	return func(t *promotion.Target) bool { return s.Gained(d, wrote, t) }
}

// KeptBeside returns the targets that a promotion passes over at its first merge: not those that the merge updates, one
// of which may have been verified with the same freight meanwhile.
func KeptBeside(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetResult {
	step := setOf(p.Rollout.Targets)
	return slices.DeleteFunc(kept(s, p), func(result promotion.TargetResult) bool { return step[result.Target] })
}

// broughtTo returns the targets that have a freight: those that a promotion of it would keep if it went nowhere.
func broughtTo(s *promotion.Snapshot, f *promotion.Freight) []promotion.TargetResult {
	nowhere := func(promotion.TargetName) bool { return false }
	return broughtBefore(s, &promotion.Promotion{Freight: promotion.FreightRef{Warehouse: f.Warehouse, ID: f.ID}}, nowhere)
}

// StandsIn reports whether a target has a freight already, with all values that the pipeline file has now, and has not
// found it bad.
func StandsIn(s *promotion.Snapshot, f *promotion.Freight, t promotion.TargetName) bool {
	stands := slices.ContainsFunc(broughtTo(s, f), func(result promotion.TargetResult) bool {
		return result.Target == t && result.Verdict == promotion.Passed
	})
	asked := promotion.Promotion{Class: promotion.Manual, Freight: f.Ref()}
	return stands && !gainedIn(s, &asked)(s.Target(t))
}

// Misses reports whether a promotion was to some targets only, of which one that is still there does not have its
// freight.
func Misses(s *promotion.Snapshot, p *promotion.Promotion, f *promotion.Freight) bool {
	return slices.ContainsFunc(p.Only, func(t promotion.TargetName) bool {
		return s.Target(t) != nil && !StandsIn(s, f, t)
	})
}

// lastResult is the last result of a target, and the deployment that it belongs to.
type lastResult struct {
	deployment *promotion.Deployment
	result     *promotion.TargetResult
}

// lastResults returns the last result of each target that has a name, by other promotions than this one. A promotion to
// a stage that is one place is planned before it starts, and its plan tells better whether anything is to be written.
func lastResults(s *promotion.Snapshot, p *promotion.Promotion) map[promotion.TargetName]lastResult {
	last := make(map[promotion.TargetName]lastResult)
	for i := range s.Deployments {
		deployment := &s.Deployments[i]
		if deployment.Warehouse != p.Freight.Warehouse || deployment.Promotion == p.Number {
			continue
		}
		for k := range deployment.Results {
			if result := &deployment.Results[k]; result.Target != "" {
				last[result.Target] = lastResult{deployment, result}
			}
		}
	}
	return last
}

// drifted reports whether a drift is one of the target's files.
func drifted(t *promotion.Target, d promotion.Drift) bool {
	return slices.ContainsFunc(d.Says, func(v promotion.Value) bool {
		return v.Files == t.Files && t.TouchesAny([]string{v.Path})
	})
}

// Written returns the values that were written to kept targets when their freight came there.
func Written(s *promotion.Snapshot, p *promotion.Promotion, kept []promotion.TargetResult) (wrote []promotion.Value) {
	last := lastResults(s, p)
	by := make(map[promotion.Spot]*promotion.Deployment)
	for i := range kept {
		for at := range s.Target(kept[i].Target).Spots() {
			by[at] = last[kept[i].Target].deployment
		}
	}
	for i := range s.Deployments {
		for _, v := range s.Deployments[i].Wrote {
			if by[v.Spot()] == &s.Deployments[i] {
				wrote = append(wrote, v)
			}
		}
	}
	return wrote
}

// Updated returns the targets of the present step as its merge, or the finding that nothing changes, leaves them.
// commit and since of the deployment say where and from when their signals count. A target none of whose files are
// among moved, and that had the same freight before, keeps its commit, and its verdict if that was good.
func Updated(
	s *promotion.Snapshot, p *promotion.Promotion, deployment *promotion.Deployment, moved []string,
) (results []promotion.TargetResult) {
	last := lastResults(s, p)
	for _, name := range p.Rollout.Targets {
		t := s.Target(name)
		if t == nil && name != "" {
			continue
		}
		result := promotion.TargetResult{
			Target: name, Step: p.Rollout.Step, Commit: deployment.Commit, Merged: deployment.Entered, Since: deployment.Since,
		}
		before, found := last[name]
		if found && before.deployment.Freight == p.Freight.ID && !t.TouchesAny(moved) {
			result.Commit, result.Merged, result.Since = before.result.Commit, before.result.Merged, before.result.Since
			if before.result.Verdict == promotion.Passed {
				result.Verdict, result.Judged = before.result.Verdict, before.result.Judged
			}
		}
		results = append(results, result)
	}
	return results
}

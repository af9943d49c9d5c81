package rollout

import (
	"slices"
	"waybill/promotion"
)

// PartsOf returns the targets to which a promotion has brought its freight, and those that had it before.
func PartsOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.Part {
	if i := s.StayOf(p.Number); i >= 0 {
		return s.Stays[i].Parts
	}
	if p.Rollout == nil || p.State.Ended() {
		return nil
	}
	return Kept(s, p)
}

// HasBrought reports whether a target is one of those that PartsOf returns.
func HasBrought(s *promotion.Snapshot, p *promotion.Promotion, t promotion.TargetName) bool {
	return slices.ContainsFunc(PartsOf(s, p), func(part promotion.Part) bool { return part.Target == t })
}

// Kept returns the targets that a promotion passes over because its freight was the last that came there: those where
// it is verified, and those where it has failed if the promotion does not go there. So a retry passes over what is
// good, a rollback what was never updated, and a promotion to one target everything else. Files that have changed since
// are written again, and a target without a verdict is still to come.
func Kept(s *promotion.Snapshot, p *promotion.Promotion) []promotion.Part {
	return broughtBefore(s, p, p.GoesTo)
}

func broughtBefore(
	s *promotion.Snapshot, p *promotion.Promotion, goes func(promotion.TargetName) bool,
) (parts []promotion.Part) {
	last := lastParts(s, p)
	for i := range s.Stage.Targets {
		t := &s.Stage.Targets[i]
		at, found := last[t.Name]
		if !found || at.stay.Freight != p.Freight.ID || drifted(t, at.stay.Drift) {
			continue
		}
		if part := *at.part; part.Verdict == promotion.Passed || part.Verdict == promotion.Bad && !goes(t.Name) {
			part.Step = 0
			parts = append(parts, part)
		}
	}
	return parts
}

// KeptBeside returns the targets that a promotion passes over at its first merge: not those that the merge updates, one
// of which may have been verified with the same freight meanwhile.
func KeptBeside(s *promotion.Snapshot, p *promotion.Promotion) []promotion.Part {
	step := setOf(p.Rollout.Targets)
	return slices.DeleteFunc(Kept(s, p), func(part promotion.Part) bool { return step[part.Target] })
}

// broughtTo returns the targets that have a freight: those that a promotion of it would keep if it went nowhere.
func broughtTo(s *promotion.Snapshot, f *promotion.Freight) []promotion.Part {
	nowhere := func(promotion.TargetName) bool { return false }
	return broughtBefore(s, &promotion.Promotion{Freight: promotion.FreightRef{Warehouse: f.Warehouse, ID: f.ID}}, nowhere)
}

// StandsIn reports whether a target has a freight already, and has not found it bad.
func StandsIn(s *promotion.Snapshot, f *promotion.Freight, t promotion.TargetName) bool {
	return slices.ContainsFunc(broughtTo(s, f), func(part promotion.Part) bool {
		return part.Target == t && part.Verdict == promotion.Passed
	})
}

// Misses reports whether a promotion was to some targets only, of which one that is still there does not have its
// freight.
func Misses(s *promotion.Snapshot, p *promotion.Promotion, f *promotion.Freight) bool {
	return slices.ContainsFunc(p.Only, func(t promotion.TargetName) bool {
		return s.Target(t) != nil && !StandsIn(s, f, t)
	})
}

// lastPart is what came to a target last, and the stay that it belongs to.
type lastPart struct {
	stay *promotion.Stay
	part *promotion.Part
}

// lastParts returns what came last to each target that has a name, by other promotions than this one. A promotion to a
// stage that is one place is planned before it starts, and its plan tells better whether anything is to be written.
func lastParts(s *promotion.Snapshot, p *promotion.Promotion) map[promotion.TargetName]lastPart {
	last := make(map[promotion.TargetName]lastPart)
	for i := range s.Stays {
		stay := &s.Stays[i]
		if stay.Warehouse != p.Freight.Warehouse || stay.Promotion == p.Number {
			continue
		}
		for k := range stay.Parts {
			if part := &stay.Parts[k]; part.Target != "" {
				last[part.Target] = lastPart{stay, part}
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
func Written(s *promotion.Snapshot, p *promotion.Promotion, kept []promotion.Part) (wrote []promotion.Value) {
	last := lastParts(s, p)
	by := make(map[promotion.Spot]*promotion.Stay)
	for i := range kept {
		for at := range s.Target(kept[i].Target).Spots() {
			by[at] = last[kept[i].Target].stay
		}
	}
	for i := range s.Stays {
		for _, v := range s.Stays[i].Wrote {
			if by[v.Spot()] == &s.Stays[i] {
				wrote = append(wrote, v)
			}
		}
	}
	return wrote
}

// Updated returns the targets of the present step as its merge, or the finding that nothing changes, leaves them.
// commit and since of the stay say where and from when their signals count. A target none of whose files are among
// moved, and that had the same freight before, keeps its commit, and its verdict if that was good.
func Updated(
	s *promotion.Snapshot, p *promotion.Promotion, stay *promotion.Stay, moved []string,
) (parts []promotion.Part) {
	last := lastParts(s, p)
	for _, name := range p.Rollout.Targets {
		t := s.Target(name)
		if t == nil && name != "" {
			continue
		}
		part := promotion.Part{Target: name, Step: p.Rollout.Step, Commit: stay.Commit, Since: stay.Since}
		before, found := last[name]
		if found && before.stay.Freight == p.Freight.ID && !t.TouchesAny(moved) {
			part.Commit, part.Since = before.part.Commit, before.part.Since
			if before.part.Verdict == promotion.Passed {
				part.Verdict, part.Judged = before.part.Verdict, before.part.Judged
			}
		}
		parts = append(parts, part)
	}
	return parts
}

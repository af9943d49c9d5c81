package promotion

import "slices"

// A promotion into a stage with targets passes over what stands already: a retry what is good, a rollback what was never
// updated, and who promotes one target everything else.

// kept returns what stands already of what a promotion is to bring, and what was written there: the targets to which its
// freight was brought last, where it is good, or bad and the promotion does not go there. What somebody has changed since is
// brought again, and what ended without a verdict is still to come.
func (s *Snapshot) kept(p *Promotion) (parts []Part, wrote []Value) {
	latest := s.latestParts(p)
	for i := range s.Stage.Targets {
		t := &s.Stage.Targets[i]
		at, found := latest[t.Name]
		if !found || at.stay.Freight != p.Freight || t.differs(at.stay.Drift) {
			continue
		}
		if part := at.stay.Parts[at.part]; part.Verdict == Passed || part.Verdict == Bad && !p.goesTo(t.Name) {
			part.Step = 0
			parts = append(parts, part)
			wrote = append(wrote, t.valuesOf(at.stay.Wrote)...)
		}
	}
	return parts, wrote
}

// place is where a snapshot says something of a target.
type place struct {
	stay *Stay
	part int
}

// latestParts returns for each target where it stands what was brought there last, by other promotions than this one.
func (s *Snapshot) latestParts(p *Promotion) map[TargetName]place {
	latest := make(map[TargetName]place)
	for i := range s.Stays {
		stay := &s.Stays[i]
		if stay.Warehouse != p.Warehouse || stay.Promotion == p.Number {
			continue
		}
		for k := range stay.Parts {
			latest[stay.Parts[k].Target] = place{stay, k}
		}
	}
	return latest
}

// goesTo reports whether the promotion is to update a target.
func (p *Promotion) goesTo(t TargetName) bool { return len(p.Only) == 0 || slices.Contains(p.Only, t) }

// differs reports whether a drift is one of the target's files.
func (t *Target) differs(d Drift) bool {
	return slices.ContainsFunc(d.Says, func(v Value) bool { return t.touchesAny([]string{v.Path}) })
}

// valuesOf returns those of the values that are in the target's files, at places that it sets.
func (t *Target) valuesOf(all []Value) (own []Value) {
	for _, v := range all {
		if t.sets(v.Path, v.Key) {
			own = append(own, v)
		}
	}
	return own
}

// sets reports whether the target has a value there.
func (t *Target) sets(path, key string) bool {
	return slices.ContainsFunc(t.Changes, func(c Change) bool {
		return c.Path == path && slices.ContainsFunc(c.Set, func(a Assignment) bool { return a.Key == key })
	})
}

package promotion

import "slices"

// A promotion into a stage with targets passes over what stands already: a retry what is good, a rollback what was never
// updated, and who promotes one target everything else.

// kept returns what stands already of what a promotion is to bring: the targets to which its freight was brought last, where it
// is good, or bad and the promotion does not go there. What somebody has changed since is brought again, and what ended without
// a verdict is still to come.
func (s *Snapshot) kept(p *Promotion) (parts []Part) {
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
		}
	}
	return parts
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
	return slices.ContainsFunc(d.Says, func(v Value) bool { return v.Files == t.Files && t.touchesAny([]string{v.Path}) })
}

// writtenAt returns what was written to targets when what they have was brought there.
func (s *Snapshot) writtenAt(kept []Part, p *Promotion) (wrote []Value) {
	latest := s.latestParts(p)
	by := make(map[spot]*Stay)
	for i := range kept {
		for _, at := range s.target(kept[i].Target).spots() {
			by[at] = latest[kept[i].Target].stay
		}
	}
	for i := range s.Stays {
		for _, v := range s.Stays[i].Wrote {
			if by[v.spot()] == &s.Stays[i] {
				wrote = append(wrote, v)
			}
		}
	}
	return wrote
}

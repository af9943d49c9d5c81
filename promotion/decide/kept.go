package decide

import (
	"slices"
	"waybill/promotion"
)

// A promotion into a stage with targets passes over what stands already: a retry what is good, a rollback what was never
// updated, and who promotes one target everything else.

// kept returns what stands already of what a promotion is to bring: the targets to which its freight was brought last, where it
// is good, or bad and the promotion does not go there. What somebody has changed since is brought again, and what ended without
// a verdict is still to come.
func kept(s *promotion.Snapshot, p *promotion.Promotion) (parts []promotion.Part) {
	latest := latestParts(s, p)
	for i := range s.Stage.Targets {
		t := &s.Stage.Targets[i]
		at, found := latest[t.Name]
		if !found || at.stay.Freight != p.Freight || differs(t, at.stay.Drift) {
			continue
		}
		if part := at.stay.Parts[at.part]; part.Verdict == promotion.Passed || part.Verdict == promotion.Bad && !p.GoesTo(t.Name) {
			part.Step = 0
			parts = append(parts, part)
		}
	}
	return parts
}

// place is where a snapshot says something of a target.
type place struct {
	stay *promotion.Stay
	part int
}

// latestParts returns for each target where it stands what was brought there last, by other promotions than this one.
func latestParts(s *promotion.Snapshot, p *promotion.Promotion) map[promotion.TargetName]place {
	latest := make(map[promotion.TargetName]place)
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

// differs reports whether a drift is one of the target's files.
func differs(t *promotion.Target, d promotion.Drift) bool {
	return slices.ContainsFunc(d.Says, func(v promotion.Value) bool { return v.Files == t.Files && t.TouchesAny([]string{v.Path}) })
}

// writtenAt returns what was written to targets when what they have was brought there.
func writtenAt(s *promotion.Snapshot, kept []promotion.Part, p *promotion.Promotion) (wrote []promotion.Value) {
	latest := latestParts(s, p)
	by := make(map[promotion.Spot]*promotion.Stay)
	for i := range kept {
		for _, at := range s.Target(kept[i].Target).Spots() {
			by[at] = latest[kept[i].Target].stay
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

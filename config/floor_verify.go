package config

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// askVerify adds the matchers that a floor asks for, for each target of the stage.
func (f floors) askVerify(
	s *compiled, l level, r *reader, list found[[]found[matcherFile]], floor *promotion.Gates,
) {
	if !list.good() {
		return
	}
	if !s.file.value.changes() {
		unmet(s, l, "it asks for `verify`, and a stage that changes no file has no promotion to verify, and passes "+
			"freight on; let it change something")
		return
	}
	for i := range s.Targets {
		p := &place{stage: s, reader: s.reader}
		if s.Targets[i].Name != "" {
			p.file = &s.targets[i].value
		}
		all, problem := asked(blanks{p, f.allowance}, l, r, list.value)
		if problem != "" {
			unmet(s, l, "%s", problem)
			return
		}
		known := floor.Targets[i].Verify
		if !f.allowance.pay(s.reader, s.file.key, Budget{Steps: len(known) + len(all)}) {
			return
		}
		floor.Targets[i].Verify = stricter(known, all)
	}
}

// asked compiles the matchers of a floor for a place. The mistakes in the file of the repository are told in it; for
// the server's the first one that this stage shows is returned.
func asked(b blanks, l level, r *reader, list []found[matcherFile]) (all []promotion.Matcher, problem string) {
	if l.server {
		r = newReader(&report{file: l.name()})
	}
	for i, m := range list {
		compiled, ok := compileMatcher(b, r.element(i), m)
		if !ok && b.allowance.spent {
			return nil, ""
		}
		all = append(all, compiled)
		if _, name := m.value.signal(); l.server && b.place.stage.together() && (!strings.Contains(name.value, "${target.") ||
			strings.Contains(name.value, "*")) {
			return nil, "nobody could tell whose signal " + quote(name.value) + " is, because several targets are " +
				"updated with one pull request; update one target at once, or write `pull-requests: target`"
		}
	}
	if l.server && len(r.report.problems) > 0 {
		return nil, r.report.problems[0].Message
	}
	return all, ""
}

// together reports whether several targets of the stage are updated with one pull request.
func (s *compiled) together() bool {
	several := func(b promotion.Batch) bool { return b.AtOnce > 1 }
	return !s.Strategy.PerTarget && (s.Strategy.BackAtOnce > 1 || slices.ContainsFunc(s.Strategy.Batches, several))
}

// stricter returns the matchers of both lists. Of those that name the same signals the stricter one is taken.
func stricter(list, more []promotion.Matcher) []promotion.Matcher {
	all, place := slices.Clone(list), make(map[promotion.Matched]int, len(list))
	for i := range all {
		place[all[i].Matches()] = i
	}
	for i := range more {
		at, there := place[more[i].Matches()]
		if there {
			all[at] = all[at].Stricter(more[i])
			continue
		}
		place[more[i].Matches()] = len(all)
		all = append(all, more[i])
	}
	return all
}

// liftVerify adds the matchers of a floor to those of each target.
func (s *compiled) liftVerify(floor promotion.Gates) {
	at, had := s.matchersAt, 0
	s.matchersAt = nil
	for i := range s.Targets {
		t := &s.Targets[i]
		s.matchersAt = append(s.matchersAt, at[had:had+len(t.Verify)]...)
		had += len(t.Verify)
		verify := stricter(t.Verify, floor.Targets[i].Verify)
		for range len(verify) - len(t.Verify) {
			s.matchersAt = append(s.matchersAt, s.file.key)
		}
		t.Verify = verify
	}
}

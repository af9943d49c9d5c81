package verify

import (
	"cmp"
	"maps"
	"slices"

	"waybill/promotion"
)

// Gather finds the evidence for all arrivals of the snapshot among everything that GitHub has reported. The pushes are
// in the order of their branch. An arrival without runs has none.
func Gather(
	s *promotion.Snapshot, signals []promotion.Signal, suites []promotion.Suite, pushes []promotion.Push,
) []promotion.Evidence {
	arrivals, of := arrivalsOf(s), *s
	if len(arrivals) == 0 {
		return nil
	}
	j := JudgeOf(&of, new(Sharing))
	reported := make(map[promotion.SHA][]promotion.Signal)
	for _, g := range Latest(signals) {
		reported[g.SHA] = append(reported[g.SHA], g)
	}
	suites = slices.SortedFunc(slices.Values(suites), func(a, b promotion.Suite) int { return cmp.Compare(a.ID, b.ID) })
	var all []promotion.Evidence
	for _, a := range arrivals {
		t, judged := j.trialOf(a)
		if !judged {
			continue
		}
		t.by = append(t.by[:len(t.by):len(t.by)], keptFor(s, a)...)
		if e := j.gather(&t, reported, pushes); len(e.Runs) > 0 {
			if !Cancelled(e.Runs) {
				e.Head = ""
			}
			e.Suites = suitesOf(e.Runs, suites)
			all = append(all, e)
		}
	}
	return all
}

// keptFor lists the matchers that made the verdicts on an arrival, whatever the pipeline file says now.
func keptFor(s *promotion.Snapshot, a promotion.Arrival) (all []promotion.Matcher) {
	for i := range s.Deployments {
		for k := range s.Deployments[i].Results {
			result := &s.Deployments[i].Results[k]
			if result.Target == a.Target && result.Commit == a.Commit {
				all = append(all, result.By...)
			}
		}
	}
	return all
}

// suitesOf returns those of some suites that runs belong to.
func suitesOf(runs []promotion.Signal, suites []promotion.Suite) (some []promotion.Suite) {
	in := make(map[int64]bool, len(runs))
	for i := range runs {
		in[runs[i].Suite] = runs[i].Kind == promotion.KindCheck || in[runs[i].Suite]
	}
	for i := range suites {
		if in[suites[i].ID] {
			some = append(some, suites[i])
		}
	}
	return some
}

// gather finds the evidence for one arrival. Where a stage is spread over branches, one repository may be a copy of
// another, with the same commits.
func (j Judge) gather(
	t *trial, reported map[promotion.SHA][]promotion.Signal, pushes []promotion.Push,
) promotion.Evidence {
	spread, commit := j.s.Stage.Spread(), t.arrival.Commit
	head, again, way := commit, false, map[promotion.SHA]bool{commit: true}
	for i := range pushes {
		p := &pushes[i]
		if p.Before != head || spread && p.On() != t.On {
			continue
		}
		if t.TouchesAny(p.Paths) {
			break
		}
		head, again = p.After, way[p.After]
		way[head] = true
	}
	e := promotion.Evidence{Arrival: t.arrival}
	if !again {
		e.Head = head
	}
	for sha := range way {
		for i := range reported[sha] {
			if g := &reported[sha][i]; (!spread || g.Repo == t.On.Repo) && j.named(t, g) {
				e.Runs = append(e.Runs, *g)
			}
		}
	}
	slices.SortFunc(e.Runs, byID)
	return e
}

// named reports whether a matcher names a run: on later heads only one that is not shared does.
func (j Judge) named(t *trial, g *promotion.Signal) bool {
	for i := range t.by {
		if m := &t.by[i]; m.Names(g) && (g.SHA == t.arrival.Commit || !j.shares(t, m)) {
			return true
		}
	}
	return false
}

// Latest returns of signals with one app, suite and name on one commit only the one with the largest id, by id.
func Latest(signals []promotion.Signal) []promotion.Signal {
	type identity struct {
		repo promotion.Repo
		kind promotion.SignalKind
		sha  promotion.SHA
		app  string
		in   int64
		name string
	}
	last := make(map[identity]promotion.Signal, len(signals))
	for _, g := range signals {
		key := identity{g.Repo, g.Kind, g.SHA, g.App, g.Suite, g.Name}
		if known, is := last[key]; !is || known.ID < g.ID {
			last[key] = g
		}
	}
	return slices.SortedFunc(maps.Values(last), byID)
}

func byID(a, b promotion.Signal) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.SHA, b.SHA))
}

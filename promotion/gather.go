package promotion

import (
	"cmp"
	"maps"
	"slices"
)

// Gather finds the evidence for all arrivals of the snapshot among everything that GitHub has reported. The pushes are
// in the order of their branch. An arrival without runs has none.
func Gather(s *Snapshot, signals []Signal, suites []Suite, pushes []Push) []Evidence {
	arrivals, of := Arrivals(s), *s
	if len(arrivals) == 0 {
		return nil
	}
	j := judgeOf(&of)
	reported := make(map[SHA][]Signal)
	for _, g := range Latest(signals) {
		reported[g.SHA] = append(reported[g.SHA], g)
	}
	suites = slices.SortedFunc(slices.Values(suites), func(a, b Suite) int { return cmp.Compare(a.ID, b.ID) })
	var all []Evidence
	for _, a := range arrivals {
		t, judged := j.trialOf(a)
		if !judged {
			continue
		}
		if e := j.gather(&t, reported, pushes); len(e.Runs) > 0 {
			e.Suites = suitesOf(e.Runs, suites)
			all = append(all, e)
		}
	}
	return all
}

// suitesOf returns those of some suites that runs belong to.
func suitesOf(runs []Signal, suites []Suite) (some []Suite) {
	in := make(map[int64]bool, len(runs))
	for i := range runs {
		in[runs[i].Suite] = runs[i].Kind == KindCheck || in[runs[i].Suite]
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
func (j *judge) gather(t *trial, reported map[SHA][]Signal, pushes []Push) Evidence {
	spread, commit := j.s.Stage.Spread(), t.arrival.Commit
	head, again, way := commit, false, map[SHA]bool{commit: true}
	for i := range pushes {
		p := &pushes[i]
		if p.Before != head || spread && p.On() != t.On {
			continue
		}
		if t.touches(p.Paths) {
			break
		}
		head, again = p.After, way[p.After]
		way[head] = true
	}
	e := Evidence{Arrival: t.arrival}
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
func (j *judge) named(t *trial, g *Signal) bool {
	matchers := t.Matchers()
	for i := range matchers {
		if m := &matchers[i]; m.Names(g) && (g.SHA == t.arrival.Commit || !j.shares(t, m)) {
			return true
		}
	}
	return false
}

// Latest returns of signals with one app, suite and name on one commit only the one with the largest id, by id.
func Latest(signals []Signal) []Signal {
	type identity struct {
		repo Repo
		kind SignalKind
		sha  SHA
		app  string
		in   int64
		name string
	}
	last := make(map[identity]Signal, len(signals))
	for _, g := range signals {
		key := identity{g.Repo, g.Kind, g.SHA, g.App, g.Suite, g.Name}
		if known, is := last[key]; !is || known.ID < g.ID {
			last[key] = g
		}
	}
	return slices.SortedFunc(maps.Values(last), byID)
}

func byID(a, b Signal) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.SHA, b.SHA))
}

package promotion

import (
	"cmp"
	"slices"
)

// Arrival is the commit that has brought freight to a stage, or to one of its targets, or is about to.
type Arrival struct {
	Target TargetName // "" where the stage as a whole is judged
	Commit SHA
}

// Evidence is everything that may judge an arrival: the runs that a matcher names, on the commit itself and on the heads
// that followed it on the branch until a push touched the files (semantics 7.1).
type Evidence struct {
	Arrival
	// Head is the newest head that counts: a check that was cancelled on another commit has been overtaken. It is empty
	// when the branch was moved back to a commit that had been its head before, which overtakes all of them.
	Head   SHA
	Runs   []Signal // by id; of one app, suite and name on one commit only the newest
	Suites []Suite  // of the runs, by id, as far as they are known
}

// Gather finds the evidence for all arrivals of the snapshot among everything that GitHub has reported. The pushes are in
// the order of their branch. An arrival without runs has none.
func (s *Snapshot) Gather(signals []Signal, suites []Suite, pushes []Push) []Evidence {
	arrivals, of := s.Arrivals(), *s
	if len(arrivals) == 0 {
		return nil
	}
	of.look = nil // what is looked up below must not outlive the evidence that there was before
	reported := latestRuns(signals)
	suites = slices.SortedFunc(slices.Values(suites), func(a, b Suite) int { return cmp.Compare(a.ID, b.ID) })
	var all []Evidence
	for _, a := range arrivals {
		t, judged := of.trialOf(a)
		if !judged {
			continue
		}
		if e := t.gather(reported, pushes, s.Stage.Spread()); len(e.Runs) > 0 {
			e.Suites = suitesOf(e.Runs, suites)
			all = append(all, e)
		}
	}
	return all
}

// suitesOf returns those of some suites that runs belong to.
func suitesOf(runs []Signal, suites []Suite) []Suite {
	in := make(map[int64]bool, len(runs))
	for i := range runs {
		in[runs[i].Suite] = true
	}
	return slices.DeleteFunc(slices.Clone(suites), func(s Suite) bool { return !in[s.ID] })
}

// gather finds the evidence for one arrival. Where a stage is spread over branches, one repository may be a copy of
// another, with the same commits.
func (t *trial) gather(reported map[SHA][]Signal, pushes []Push, spread bool) Evidence {
	head, again, way := t.Commit, false, map[SHA]bool{t.Commit: true}
	for i := range pushes {
		p := &pushes[i]
		if p.Before != head || spread && p.On() != t.on {
			continue
		}
		if t.touches(p.Paths) {
			break
		}
		head, again = p.After, way[p.After]
		way[head] = true
	}
	e := Evidence{Arrival: t.Arrival}
	if !again {
		e.Head = head
	}
	for sha := range way {
		for _, g := range reported[sha] {
			if (!spread || g.Repo == t.on.Repo) && t.names(&g) {
				e.Runs = append(e.Runs, g)
			}
		}
	}
	slices.SortFunc(e.Runs, func(a, b Signal) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind)) })
	return e
}

// latestRuns returns the runs on each commit, and of those with one app, suite and name only the one with the largest id.
func latestRuns(signals []Signal) map[SHA][]Signal {
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
	on := make(map[SHA][]Signal)
	for _, g := range last {
		on[g.SHA] = append(on[g.SHA], g)
	}
	return on
}

package core

import (
	"slices"

	"waybill/promotion"
)

// fact is a change that Waybill receives, by webhook or by reading GitHub. Applying it twice has no further effect.
type fact func(*memory)

// inTurn returns a fact that applies facts in order.
func inTurn(facts ...fact) fact {
	return func(m *memory) {
		for _, f := range facts {
			f(m)
		}
	}
}

func pushFact(p promotion.Push) fact {
	return func(m *memory) {
		for _, known := range m.pushes {
			if known.After == p.After {
				return
			}
		}
		m.pushes = append(m.pushes, p)
	}
}

func pullFact(p promotion.Pull) fact {
	return func(m *memory) {
		for i, known := range m.pulls {
			if known.Number == p.Number {
				if p.Revision >= known.Revision {
					m.pulls[i] = p
				}
				return
			}
		}
		m.pulls = append(m.pulls, p)
	}
}

func signalFact(s promotion.Signal) fact {
	return func(m *memory) {
		i := slices.IndexFunc(m.signals, func(known promotion.Signal) bool { return known.ID == s.ID })
		if i >= 0 && m.signals[i] == s {
			return
		}
		m.unsettle(func(stage *promotion.Stage) bool { return stage.Concerns(&s) })
		if i >= 0 {
			m.signals[i] = s
			return
		}
		m.signals = append(m.signals, s)
	}
}

func suiteFact(s promotion.Suite) fact {
	return func(m *memory) {
		for i := range m.suites {
			if m.suites[i].ID == s.ID {
				m.suites[i] = s
				return
			}
		}
		m.suites = append(m.suites, s)
	}
}

// sourceFact makes freight from a merged source pull request, in each warehouse that accepts it.
func sourceFact(s source) fact {
	return func(m *memory) {
		if s.sha == "" {
			return
		}
		for _, w := range m.pipeline.Warehouses {
			if w.Kind != promotion.FromPulls || branchOf(w) != s.into ||
				!w.Accepts(promotion.Touched{Paths: s.files}, s.labels) {
				continue
			}
			f := promotion.NewFreight(w, s.Number, s.sha, s.at)
			f.Author = s.author
			m.keep(f)
		}
	}
}

// branchOf returns the branch that a warehouse watches.
func branchOf(w *promotion.Warehouse) promotion.Branch {
	return promotion.Branch{Repo: w.Repo, Name: w.Branch}
}

// pushedFact makes freight from a push, in each warehouse that wants the changed files.
func pushedFact(p pushed) fact {
	return func(m *memory) {
		for _, w := range m.pipeline.Warehouses {
			wants := w.Kind == promotion.FromPushes && branchOf(w) == p.on && w.Wants(promotion.Touched{Paths: p.files})
			if wants && p.Count > m.since[keyOf(w)].pushes {
				m.keep(w.Pushed(p.Head, p.At, p.At))
			}
		}
	}
}

// taggedFact makes freight from a release or tag, in each warehouse that takes its version.
func taggedFact(t tagged) fact {
	return func(m *memory) {
		for _, w := range m.pipeline.Warehouses {
			if w.Kind != t.kind || w.Repo != t.repo || t.At.Before(m.since[keyOf(w)].at) {
				continue
			}
			if f, takes := w.Versioned(t.Tagged); takes {
				m.keep(f)
			}
		}
	}
}

// requestFact adds a command request, once.
func requestFact(stage promotion.StageName, r promotion.Request) fact {
	return func(m *memory) {
		if m.heard[r.ID] {
			return
		}
		m.heard[r.ID] = true
		m.requests = append(m.requests, request{stage, r})
	}
}

package pipelines

import (
	"slices"

	"waybill/promotion"
)

// Awaits reports whether a pipeline waits for signals like one: a matcher or a condition of a target names it. One
// without a name is a whole check suite. A pattern of checks is decided by suites, to which all runs belong.
func (r *Registry) Awaits(g *promotion.Signal) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if slices.ContainsFunc(c.awaited[g.Repo], func(m promotion.Matcher) bool {
			return m.Kind == g.Kind && (g.Name == "" || m.DecidedBySuites() || m.Names(g))
		}) {
			return true
		}
	}
	return false
}

// AwaitsIn reports whether a pipeline waits for any signals of a repository.
func (r *Registry) AwaitsIn(repo promotion.Repo) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if len(c.awaited[repo]) > 0 {
			return true
		}
	}
	return false
}

// Uses reports whether a pipeline has anything to do with a branch: files of stages, or a warehouse.
func (r *Registry) Uses(b promotion.Branch) bool {
	return len(r.UsingBranch(b)) > 0 || len(r.Guarding(b.Repo)) > 0 ||
		len(r.subscribersWhere(func(w *promotion.Warehouse) bool { return w.Repo == b.Repo && w.Branch == b.Name })) > 0
}

// awaitedBy returns what a pipeline waits for, by the repositories where it is reported.
func awaitedBy(p *promotion.Pipeline) map[promotion.Repo][]promotion.Matcher {
	all := map[promotion.Repo][]promotion.Matcher{}
	for _, s := range p.Stages {
		for _, of := range p.Subjects(s) {
			all[of.On.Repo] = append(all[of.On.Repo], of.Verify...)
			for _, c := range of.Ready {
				m := promotion.Matcher{Kind: c.Kind, Pattern: c.Name}
				if c.Kind == promotion.KindCheck {
					m.App = c.App
				}
				all[of.On.Repo] = append(all[of.On.Repo], m)
			}
		}
	}
	return all
}

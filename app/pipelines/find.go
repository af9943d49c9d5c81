package pipelines

import (
	"cmp"
	"slices"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// Home returns the repository that a pipeline lives in; empty if the pipeline has not been compiled yet.
func (r *Registry) Home(id int64) promotion.Repo {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[id].Row.Repo
}

// Branch returns the default branch of a pipeline's home; empty if the pipeline has not been compiled yet.
func (r *Registry) Branch(id int64) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[id].Row.Branch
}

// Installation returns the installation of the App on a pipeline's home; 0 if the pipeline has not been compiled yet.
func (r *Registry) Installation(id int64) int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[id].Row.Installation
}

// Concerns reports whether a pipeline lives in a repository, or names it.
func (r *Registry) Concerns(repo promotion.Repo) bool {
	return len(r.Concerned(repo)) > 0
}

// Concerned returns the pipelines that live in a repository, or name it.
func (r *Registry) Concerned(repo promotion.Repo) []Compiled {
	return r.matching(func(c Compiled) bool { return c.Row.Repo == repo || c.Pipeline.Names(repo) })
}

// LivesIn reports whether a pipeline lives in an installation.
func (r *Registry) LivesIn(installation int64) bool {
	return len(r.matching(func(c Compiled) bool { return c.Row.Installation == installation })) > 0
}

// UsingBranch returns the pipelines that have files of stages on a branch, or live there.
func (r *Registry) UsingBranch(b promotion.Branch) []Compiled {
	return r.matching(func(c Compiled) bool { return slices.Contains(c.Pipeline.Everywhere(), b) })
}

// Guarding returns the pipelines with a stage that guards its files in a repository.
func (r *Registry) Guarding(repo promotion.Repo) []Compiled {
	return r.matching(func(c Compiled) bool {
		return slices.ContainsFunc(c.Pipeline.GuardedBranches(), func(b promotion.Branch) bool { return b.Repo == repo })
	})
}

// WritingTo returns the pipelines with a stage that has its files in a repository.
func (r *Registry) WritingTo(repo promotion.Repo) []Compiled {
	return r.matching(func(c Compiled) bool {
		return slices.ContainsFunc(c.Pipeline.Stages, func(s *promotion.Stage) bool { return c.Pipeline.WritesTo(s, repo) })
	})
}

// matching returns the pipelines that match, in the order of their ids.
func (r *Registry) matching(is func(Compiled) bool) (all []Compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if is(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Compiled) int { return cmp.Compare(a.Row.ID, b.Row.ID) })
	return all
}

// ForCommand returns the pipeline of a command that was given in a repository: one that lives there, takes freight from
// there or writes there. Of several it is the only one that has the stage, or one of the stages that the command names;
// if that is not unique, the command comes back with its trouble. Without any such pipeline the returned one is nil. If
// id is that of a pipeline, ForCommand returns that one.
func (r *Registry) ForCommand(
	id int64, repo promotion.Repo, c promotion.Command,
) (store.PipelineRow, *promotion.Pipeline, promotion.Command) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if one, known := r.all[id]; known {
		return one.Row, one.Pipeline, c
	}
	var near, having []Compiled
	for _, one := range r.all {
		if !one.Pipeline.Names(repo) {
			continue
		}
		near = append(near, one)
		if len(command.Called(one.Pipeline, c.Stage)) > 0 {
			having = append(having, one)
		}
	}
	if len(having) == 1 {
		near = having
	}
	if len(near) == 0 {
		return store.PipelineRow{}, nil, c
	}
	slices.SortFunc(near, func(a, b Compiled) int { return cmp.Compare(a.Row.ID, b.Row.ID) })
	if len(near) > 1 {
		c.Trouble = "more than one pipeline takes part here; ask in the repository of one: " + Homes(near)
	}
	return near[0].Row, near[0].Pipeline, c
}

// IDByHome returns the id of the pipeline that lives in a repository; 0 if none does.
func (r *Registry) IDByHome(repo promotion.Repo) int64 {
	for _, one := range r.matching(func(c Compiled) bool { return c.Row.Repo == repo }) {
		return one.Row.ID
	}
	return 0
}

// Homes lists the home repositories of pipelines.
func Homes(all []Compiled) string {
	var names []string
	for _, one := range all {
		names = append(names, string(one.Row.Repo))
	}
	return strings.Join(names, ", ")
}

// AffectedBy returns the pipelines that may have missed an event at a place, and whether one of them lives there.
// GitHub names the place by ids only, so a pipeline that names repositories of several owners may mean any
// installation.
func (r *Registry) AffectedBy(at Place) (ids []int64, lives bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for id, c := range r.all {
		home := id == at.Repository
		beside := c.Row.Installation == at.Installation && (at.Repository == 0 || len(c.Pipeline.Elsewhere()) > 0)
		if home || beside || NamesOwner(c.Pipeline, func(o string) bool {
			return !strings.EqualFold(o, c.Row.Repo.Owner())
		}) {
			ids = append(ids, id)
		}
		lives = lives || home
	}
	slices.Sort(ids)
	return ids, lives
}

// NamesOwner reports whether a pipeline names another repository with a matching owner.
func NamesOwner(p *promotion.Pipeline, some func(owner string) bool) bool {
	return slices.ContainsFunc(p.Elsewhere(), func(f promotion.Foreign) bool { return some(f.Repo.Owner()) })
}

// Place is the place of a missed delivery.
type Place struct {
	Installation, Repository int64
}

package core

import (
	"maps"
	"slices"

	"waybill/internal/change"
	"waybill/promotion"
)

// plan computes the changes of a promotion to the present files.
func (w *World) plan(j *job) {
	p := w.memory.promotion(j.Promotion)
	f, a := w.memory.freightByID(p.Freight.ID), w.memory.attempt(p.Number)
	read := w.github.reader(a.Files)
	stage, absent := change.Ready(w.memory.pipeline.Stage(p.Stage).During(&p), read)
	r := change.Work(stage, f, read, w.sides(a.Files, f))
	if r.Problem.Code == promotion.Unreadable {
		delete(w.memory.readings, readingOf{p.Stage, a.Files})
	}
	was := a.Plan
	plan := &promotion.Plan{
		Round: int(j.Round), Base: w.github.head(a.Files), At: w.now,
		Paths: r.Paths, Values: r.Values, Hash: r.Hash, Problem: r.Problem, Absent: absent, Asks: stage.Asks(),
	}
	if was != nil && was.Asks != plan.Asks && a.State == promotion.AttemptProposed && was.Round == a.Made.Round &&
		plan.WritesAs(was, len(stage.Copies()) > 0) {
		same := *was
		same.Round, same.Asks, same.Values, a.Made.Round = plan.Round, plan.Asks, plan.Values, plan.Round
		a.Plan = &same
		return
	}
	a.Plan, w.writes[p.Number] = plan, w.written(a.Files, r, f)
}

// planAnew makes the plan of an attempt anew if the branch has moved. It reports whether the plan still delivers the
// same freight to the same targets; otherwise it keeps the old plan.
func (w *World) planAnew(j *job, a *promotion.Attempt) bool {
	was, written := a.Plan, w.writes[j.Promotion]
	if was.Base == w.github.head(a.Files) {
		return true
	}
	w.plan(j)
	if a.Plan.Problem.IsZero() && len(a.Plan.Paths) > 0 && slices.Equal(a.Plan.Absent, was.Absent) {
		return true
	}
	a.Plan, w.writes[j.Promotion] = was, written
	return false
}

// written returns the new contents of a branch's files, by path. Files that are nil are deleted.
func (w *World) written(on promotion.Branch, r change.Result, f promotion.Freight) map[string]*string {
	all := map[string]*string{}
	for path, contents := range r.Contents {
		all[path] = &contents
	}
	for path, copied := range r.Copied {
		all[path] = &copied.SHA
		if copied == (change.Blob{}) {
			all[path] = nil
		}
	}
	if r.Tree != "" {
		maps.Copy(all, differences(w.github.trees[f.SHA], w.github.filesOf(on)))
	}
	return all
}

// differences returns the writes that turn was into is. Files that are nil are deleted.
func differences(is, was map[string]string) map[string]*string {
	all := map[string]*string{}
	for path := range was {
		if _, stays := is[path]; !stays {
			all[path] = nil
		}
	}
	for path, contents := range is {
		if old, there := was[path]; !there || old != contents {
			all[path] = &contents
		}
	}
	return all
}

// sides returns a function that finds both folders of a copy for a freight.
func (w *World) sides(on promotion.Branch, f promotion.Freight) change.Sides {
	return func(c promotion.Copy) (from, to change.Folder, problem promotion.Reason) {
		at := f.SHA
		if c.Stage != "" {
			of := func(s promotion.Deployment) bool { return s.Freight == f.ID }
			at = promotion.CameWith(filter(w.memory.deployments, of), c.Stage)
		}
		from, to = folderOf(w.github.trees[at], c.From), folderOf(w.github.filesOf(on), c.Path)
		if from.Hash == "" && c.Concerns(f) {
			problem = promotion.Because(promotion.Unreadable, c.From)
		}
		if c.Path == promotion.Everything {
			from.Files = map[string]change.Blob{}
			for path := range differences(w.github.trees[at], w.github.filesOf(on)) {
				from.Files[path] = change.Blob{}
			}
		}
		return from, to, problem
	}
}

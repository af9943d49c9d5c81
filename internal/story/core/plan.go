package core

import (
	"waybill/internal/change"
	"waybill/promotion"
)

// plan works out what a promotion would write over the files as they are now.
func (w *World) plan(j *job) {
	p := w.memory.promotion(j.Promotion)
	f := w.memory.freightByID(p.Freight.ID)
	stage, absent := change.Ready(w.memory.pipeline.Stage(p.Stage).During(&p), w.github.read)
	r := change.Work(stage, f, w.github.read, w.sides(f))
	w.writes[p.Number] = writes(r)
	w.memory.attempt(p.Number).Plan = &promotion.Plan{
		Round: int(j.Round), Base: w.github.head(w.github.home, w.github.branch), At: w.now,
		Paths: r.Paths, Values: r.Values, Hash: r.Hash, Problem: r.Problem, Absent: absent,
	}
}

// writes returns what files become, by path; nil deletes one.
func writes(r change.Result) map[string]*string {
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
	return all
}

// sides finds both folders of a copy for a freight.
func (w *World) sides(f promotion.Freight) change.Sides {
	return func(c promotion.Copy) (from, to change.Folder, problem promotion.Reason) {
		at := f.SHA
		if c.Stage != "" {
			at = promotion.CameWith(filter(w.memory.stays, func(s promotion.Deployment) bool { return s.Freight == f.ID }), c.Stage)
		}
		from, to = folderOf(w.github.trees[at], c.From), folderOf(w.github.files, c.Path)
		if from.Hash == "" && c.Concerns(f) {
			problem = promotion.Because(promotion.Unreadable, c.From)
		}
		return from, to, problem
	}
}

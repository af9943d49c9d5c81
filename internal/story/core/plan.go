package core

import (
	"waybill/internal/change"
	"waybill/promotion"
)

// plan works out what a promotion would write over the files as they are now.
func (w *World) plan(j *job) {
	p := w.memory.promotion(j.Promotion)
	r := change.Work(w.memory.pipeline.Stage(p.Stage), w.memory.freightByID(p.Freight), w.read)
	w.writes[p.Number] = r.Contents
	w.memory.attempt(p.Number).Plan = &promotion.Plan{
		Round: int(j.Round), Base: w.github.head(w.github.home, w.github.branch), At: w.now,
		Paths: r.Paths, Hash: r.Hash, Problem: r.Problem,
	}
}

// read returns a file of the stages' branch.
func (w *World) read(path string) (content []byte, trouble string) {
	contents, exists := w.github.files[path]
	if !exists {
		return nil, "it is not there"
	}
	return []byte(contents), ""
}

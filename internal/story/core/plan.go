package core

import (
	"waybill/internal/change"
	"waybill/promotion"
)

// plan works out what a promotion would write over the files as they are now.
func (w *World) plan(j *job) {
	p := w.memory.promotion(j.Promotion)
	r := change.Work(w.memory.pipeline.Stage(p.Stage), w.memory.freightByID(p.Freight), w.github.read)
	w.writes[p.Number] = r.Contents
	w.memory.attempt(p.Number).Plan = &promotion.Plan{
		Round: int(j.Round), Base: w.github.head(w.github.home, w.github.branch), At: w.now,
		Paths: r.Paths, Values: r.Values, Hash: r.Hash, Problem: r.Problem,
	}
}

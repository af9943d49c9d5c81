package intake

import (
	"context"
	"slices"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// reportedOnTargets has the conditions of targets asked again that a signal concerns.
func (in *Intake) reportedOnTargets(
	_ context.Context, _ *handlers.From, signal *promotion.Signal,
) (work.Record, error) {
	var keys []store.StageKey
	for _, c := range in.Pipelines.WritingTo(signal.Repo) {
		for _, s := range c.Pipeline.Stages {
			if concerns(c.Pipeline, s, signal) {
				keys = append(keys, store.StageKey{Pipeline: c.Row.ID, Stage: s.Name})
			}
		}
	}
	return func(tx *store.Tx) error { return work.RecordAll(keys, tx.Readiness.Outdate) }, nil
}

// concerns reports whether a signal concerns a condition of a target with files in the signal's repository.
func concerns(p *promotion.Pipeline, s *promotion.Stage, signal *promotion.Signal) bool {
	return slices.ContainsFunc(p.BranchesOf(s), func(on promotion.Branch) bool {
		return on.Repo == signal.Repo && p.On(s, on).Concerns(signal)
	})
}

package act

import (
	"context"

	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
)

// readFiles reads the files of a stage because some of its targets wait for theirs.
func (a *Executor) readFiles(ctx context.Context, j *job) (work.Record, error) {
	var all []work.Record
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		client, err := a.Client(on.Repo)
		if err != nil {
			return nil, err
		}
		rec, _, err := learn.ReadFiles(ctx, client, j.Pipeline, on, []*promotion.Stage{j.pipeline.On(j.stage, on)},
			learn.UnknownPusher)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

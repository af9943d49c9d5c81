package act

import (
	"context"

	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// observe asks GitHub for all signals of the commits that a verification looks at. A request that failed does not count
// as silence.
func (a *Executor) observe(ctx context.Context, j *job) (work.Record, error) {
	asked := a.Clock()
	var all []work.Record
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		rec, err := a.observeOn(ctx, j, on)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	runs, err := learn.Runs(ctx, j.client, j.stage, j.promotion.Started.Add(-clockSkew))
	if err != nil {
		return nil, err
	}
	all = append(all, func(tx *store.Tx) error {
		if err := learn.RecordSignals(tx, runs, nil); err != nil {
			return err
		}
		return tx.Ledger.SaveObserved(j.Pipeline, j.promotion.Number, j.Request, asked)
	})
	return work.InOrder(all), nil
}

// observeOn asks for the signals of the promotion's commits on one branch.
func (a *Executor) observeOn(ctx context.Context, j *job, on promotion.Branch) (work.Record, error) {
	var commits []promotion.SHA
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		commits, err = tx.Ledger.Watched(j.Pipeline, j.promotion.Number, on)
		return err
	})
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	client, err := a.Client(on.Repo)
	if err != nil {
		return nil, err
	}
	signals, suites, err := client.Signals(ctx, commits)
	return func(tx *store.Tx) error { return learn.RecordSignals(tx, signals, suites) }, err
}

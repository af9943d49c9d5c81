package app

import (
	"context"

	"waybill/promotion"
	"waybill/store"
)

// observe asks GitHub for all signals of the commits that a verification looks at. Only an answer counts: silence after
// an error is not silence.
func (a *App) observe(ctx context.Context, j *job) (record, error) {
	asked := a.clock()
	var all []record
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		rec, err := a.observeOn(ctx, j, on)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	runs, err := a.runs(ctx, j.client, j.stage, j.promotion.Started.Add(-askew))
	if err != nil {
		return nil, err
	}
	all = append(all, func(tx *store.Tx) error {
		if err := recordSignals(tx, runs, nil); err != nil {
			return err
		}
		return tx.Ledger.SaveObserved(j.Pipeline, j.promotion.Number, j.Request, asked)
	})
	return inOrder(all), nil
}

// observeOn asks for the signals of what the promotion has brought to one branch.
func (a *App) observeOn(ctx context.Context, j *job, on promotion.Branch) (record, error) {
	var commits []promotion.SHA
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		commits, err = tx.Ledger.Watched(j.Pipeline, j.promotion.Number, on)
		return err
	})
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	client, err := a.client(on.Repo)
	if err != nil {
		return nil, err
	}
	signals, suites, err := client.Signals(ctx, commits)
	return func(tx *store.Tx) error { return recordSignals(tx, signals, suites) }, err
}

func recordSignals(tx *store.Tx, signals []promotion.Signal, suites []promotion.Suite) error {
	for _, s := range signals {
		if _, err := tx.Facts.RecordSignal(s); err != nil {
			return err
		}
	}
	for _, s := range suites { // a run that is going on opens its suite again, so what is known of the suite comes last
		if _, err := tx.Facts.RecordSuite(s); err != nil {
			return err
		}
	}
	return nil
}

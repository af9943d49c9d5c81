package app

import (
	"context"

	"waybill/promotion"
	"waybill/store"
)

// observe asks GitHub for all signals of the commits that a verification looks at. Only an answer counts: silence after
// an error is not silence.
func (a *App) observe(ctx context.Context, j *job) (record, error) {
	var commits []promotion.SHA
	err := a.store.View(ctx, func(tx *store.Tx) error {
		var err error
		commits, err = tx.Watched(j.Pipeline, j.promotion.Number)
		return err
	})
	if err != nil {
		return nil, err
	}
	asked := a.clock()
	signals, suites, err := j.client.Signals(ctx, commits)
	if err != nil {
		return nil, err
	}
	runs, err := a.runs(ctx, j.client, j.stage, j.promotion.Started.Add(-askew))
	if err != nil {
		return nil, err
	}
	signals = append(signals, runs...)
	return func(tx *store.Tx) error {
		if err := recordSignals(tx, signals, suites); err != nil {
			return err
		}
		return tx.SaveObserved(j.promotion.Number, j.Request, asked)
	}, nil
}

func recordSignals(tx *store.Tx, signals []promotion.Signal, suites []promotion.Suite) error {
	for _, s := range signals {
		if _, err := tx.RecordSignal(s); err != nil {
			return err
		}
	}
	for _, s := range suites { // a run that is going on opens its suite again, so what is known of the suite comes last
		if _, err := tx.RecordSuite(s); err != nil {
			return err
		}
	}
	return nil
}

package learn

import (
	"context"
	"errors"
	"time"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

func RecordSignals(tx *store.Tx, signals []promotion.Signal, suites []promotion.Suite) error {
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

// RecordPulls records what is known of pull requests of ours.
func RecordPulls(tx *store.Tx, pulls []promotion.Pull) error {
	return work.RecordAll(pulls, func(p promotion.Pull) error {
		_, err := tx.Facts.RecordPull(p)
		return err
	})
}

// Runs asks for the runs that promotions into a stage have started, as signals; none where it starts no workflow, or
// one that is not there.
func Runs(
	ctx context.Context, client *gh.Client, stage *promotion.Stage, since time.Time,
) (signals []promotion.Signal, err error) {
	if stage == nil || stage.Delivery != promotion.DeliveryWorkflow {
		return nil, nil
	}
	runs, err := client.Runs(ctx, stage.Dispatch.Workflow, since)
	if errors.Is(err, gh.ErrNotFound) {
		return nil, nil
	}
	for _, run := range runs {
		signals = append(signals, run.Signal)
	}
	return signals, err
}

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

// RecordSignals records signals, and then suites.
func RecordSignals(tx *store.Tx, signals []promotion.Signal, suites []promotion.Suite) error {
	for _, s := range signals {
		if _, err := tx.Signals.Record(s); err != nil {
			return err
		}
	}
	for _, s := range suites { // last, because a run in progress opens its suite again
		if _, err := tx.Signals.RecordSuite(s); err != nil {
			return err
		}
	}
	return nil
}

// RecordPulls records the states of our pull requests.
func RecordPulls(tx *store.Tx, pulls []promotion.Pull) error {
	return work.RecordAll(pulls, func(p promotion.Pull) error {
		_, err := tx.Pulls.Record(p)
		return err
	})
}

// Runs asks for the runs that promotions into a stage have started, as signals. There are none if the stage starts no
// workflow or the workflow is not there.
func Runs(
	ctx context.Context, client *gh.Client, stage *promotion.Stage, since time.Time,
) (signals []promotion.Signal, err error) {
	if stage == nil || stage.Delivery != promotion.DeliveryWorkflow {
		return nil, nil
	}
	runs, err := client.Workflows.Runs(ctx, stage.Dispatch.Workflow, since)
	if errors.Is(err, gh.ErrNotFound) {
		return nil, nil
	}
	for _, run := range runs {
		signals = append(signals, run.Signal)
	}
	return signals, err
}

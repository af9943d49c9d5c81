package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// BeginDispatch notes that the workflow of a promotion is being started, before GitHub is asked to. It does not begin when the
// stage has something undecided or the promotion has gone on, as BeginCommit.
func (lg Ledger) BeginDispatch(pipeline int64, n promotion.Number) (begun bool, err error) {
	changed, err := lg.fence(pipeline, n)
	if err == nil && changed > 0 {
		changed, err = lg.tx.exec(`UPDATE attempts SET dispatched_at = $3, heard = FALSE 
			WHERE pipeline = $1 AND promotion = $2 AND dispatched_at IS NULL AND landed_at IS NULL AND pull = 0 AND failure = ''`,
			pipeline, n, micros(lg.tx.Now))
	}
	if err != nil {
		return false, fmt.Errorf("begin the workflow of %d: %w", n, err)
	}
	return changed > 0, nil
}

// SaveHeard records that GitHub has said that it starts the workflow: there is a run, whether it is listed yet or not.
func (lg Ledger) SaveHeard(pipeline int64, n promotion.Number) error {
	_, err := lg.tx.exec(`UPDATE attempts SET heard = TRUE WHERE pipeline = $1 AND promotion = $2 AND dispatched_at IS NOT NULL`,
		pipeline, n)
	if err != nil {
		return fmt.Errorf("save that %d is started: %w", n, err)
	}
	return nil
}

// SaveDispatched records the run that a promotion has started: the commit that it runs on, and since when.
func (lg Ledger) SaveDispatched(
	pipeline int64, n promotion.Number, sha promotion.SHA, at time.Time, url string, run promotion.Signal,
) error {
	if _, err := lg.tx.Facts.RecordSignal(run); err != nil {
		return err
	}
	return lg.saveAttempt(pipeline, n, "run", `UPDATE attempts SET built = plan_round, dispatched_at = NULL, landed_at = $3, base_sha = $4,
		head_sha = $4, url = $5 WHERE pipeline = $1 AND promotion = $2 AND dispatched_at IS NOT NULL`, micros(at), sha, url)
}

// SaveUndispatched records that GitHub has not taken the wish to start a workflow.
func (lg Ledger) SaveUndispatched(pipeline int64, n promotion.Number) error {
	return lg.saveAttempt(pipeline, n, "workflow", `UPDATE attempts SET dispatched_at = NULL
		WHERE pipeline = $1 AND promotion = $2 AND dispatched_at IS NOT NULL`)
}

// SaveUnheard records that there is no run of a promotion, unless GitHub has said that there is one; it reports which it is.
func (lg Ledger) SaveUnheard(pipeline int64, n promotion.Number) (gone bool, err error) {
	heard := false
	if _, err := lg.tx.one([]any{&heard}, `SELECT heard FROM attempts WHERE pipeline = $1 AND promotion = $2`, pipeline, n); err != nil {
		return false, fmt.Errorf("read whether %d is started: %w", n, err)
	}
	if heard {
		return false, nil
	}
	return true, lg.SaveUndispatched(pipeline, n)
}

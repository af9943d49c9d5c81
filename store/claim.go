package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// ClaimEffect takes the effect that has been due for longest, for as long as lease. An effect waits for those before it
// in its line, and for the one that is being done in its lane; an open or a merge waits while its stage has something
// undecided, so that a hold that is recorded first always stops it. It is nil if there is none; then wake is when the
// next may be tried, the zero time if only an event can make one due.
func (tx *Tx) ClaimEffect(lease time.Duration) (e *Effect, wake time.Time, err error) {
	due, err := list(tx, (*Effect).dest, `SELECT `+effectColumns+` FROM effects e JOIN pipelines p ON p.id = e.pipeline
		WHERE e.state IN ('due', 'doing') AND e.run_at <= $1
			AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.lane = e.lane AND b.lane <> '' AND b.state = 'doing' AND b.key <> e.key)
			AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.line = e.line AND b.line <> '' AND b.seq < e.seq AND b.state IN ('due', 'doing'))
			AND (e.verb NOT IN ('open', 'merge') OR EXISTS (
				SELECT 1 FROM stages s WHERE s.pipeline = e.pipeline AND s.name = e.stage AND s.dirty = s.decided))
		ORDER BY e.run_at, e.seq LIMIT 1`, micros(tx.Now))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find an effect: %w", err)
	}
	if len(due) > 0 {
		e, err = tx.claim(&due[0], lease)
	}
	if err == nil && e == nil {
		_, err = tx.one([]any{at(&wake)}, `SELECT MIN(run_at) FROM effects WHERE state IN ('due', 'doing') AND run_at > $1`, micros(tx.Now))
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim an effect: %w", err)
	}
	return e, wake, nil
}

// claim takes one effect, or returns nil if somebody else has been faster.
func (tx *Tx) claim(e *Effect, lease time.Duration) (*Effect, error) {
	if e.Verb == promotion.Open || e.Verb == promotion.Merge {
		// Where several processes write, this locks the stage's row: a fact that is being recorded comes before or after.
		n, err := tx.exec(`UPDATE stages SET fence = fence + 1 WHERE pipeline = $1 AND name = $2 AND dirty = decided`, e.Pipeline, e.Stage)
		if err != nil || n == 0 {
			return nil, err
		}
	}
	// The predicate is repeated here: between the look and this statement another worker of PostgreSQL may have claimed it.
	n, err := tx.exec(`UPDATE effects SET state = 'doing', attempts = attempts + 1, run_at = $2, holder = $3, tried_at = $4
		WHERE key = $1 AND state IN ('due', 'doing') AND run_at <= $4`, e.Key(), micros(tx.Now.Add(lease)), tx.holder, micros(tx.Now))
	if err != nil || n == 0 {
		return nil, err
	}
	e.State, e.Attempts, e.RunAt, e.Tried = EffectDoing, e.Attempts+1, tx.Now.Add(lease), tx.Now
	return e, nil
}

// FinishEffect notes that an effect has happened. It belongs into the transaction that records what it brought home.
// ErrConflict says that the lease was over and somebody else has taken it.
func (tx *Tx) FinishEffect(key promotion.EffectKey, result string) error {
	return tx.mustChange(fmt.Sprintf("finish %s", key), `UPDATE effects SET state = 'done', result = $2, error = '', done_at = $3, holder = ''
		WHERE key = $1 AND state = 'doing' AND holder = $4`, key, result, micros(tx.Now), tx.holder)
}

// RetryEffect notes why an effect did not work out this time, and when to try again.
func (tx *Tx) RetryEffect(key promotion.EffectKey, why string, retry time.Time) error {
	return tx.mustChange(fmt.Sprintf("retry %s", key), `UPDATE effects SET state = 'due', error = $2, run_at = $3, holder = ''
		WHERE key = $1 AND state = 'doing' AND holder = $4`, key, why, micros(retry), tx.holder)
}

// FailEffect gives an effect up.
func (tx *Tx) FailEffect(key promotion.EffectKey, why string) error {
	return tx.mustChange(fmt.Sprintf("give up %s", key), `UPDATE effects SET state = 'failed', error = $2, done_at = $3, holder = ''
		WHERE key = $1 AND state = 'doing' AND holder = $4`, key, why, micros(tx.Now), tx.holder)
}

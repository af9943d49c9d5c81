package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// ClaimEffect takes an effect that is due, for as long as lease. Pipelines take turns, after being the one that was served
// last; within a pipeline it is the effect that has been due for longest. An effect waits for those before it in its line,
// and for the one that is being done in its lane; an open, a merge, a commit or a start waits while its stage has something undecided, so
// that a hold that is recorded first always stops it. It is nil if there is none; then wake is when the next may be tried,
// the zero time if only an event can make one due.
func (ob Outbox) ClaimEffect(after int64, lease time.Duration) (e *Effect, wake time.Time, err error) {
	due, err := ob.effectInTurn(after)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find an effect: %w", err)
	}
	if due != nil {
		e, err = ob.claim(due, lease)
	}
	if err == nil && e == nil {
		_, err = ob.tx.one([]any{at(&wake)}, `SELECT MIN(run_at) FROM effects WHERE state IN ('due', 'doing') AND run_at > $1`, micros(ob.tx.Now))
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim an effect: %w", err)
	}
	return e, wake, nil
}

// effectInTurn looks at one pipeline after the other, once around, for an effect that may be carried out now.
func (ob Outbox) effectInTurn(after int64) (*Effect, error) {
	for _, turn := range turns {
		due, err := list(ob.tx, (*Effect).dest, `SELECT `+effectColumns+` FROM pipelines p JOIN effects e ON e.pipeline = p.id AND e.key = (
			SELECT d.key FROM effects d WHERE d.pipeline = p.id AND d.state IN ('due', 'doing') AND d.run_at <= $1
				AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.lane = d.lane AND b.lane <> '' AND b.state = 'doing'
					AND NOT (b.pipeline = d.pipeline AND b.key = d.key))
				AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.pipeline = d.pipeline AND b.line = d.line AND b.line <> ''
					AND b.seq < d.seq AND b.state IN ('due', 'doing'))
				AND (d.verb NOT IN ('open', 'merge', 'commit', 'dispatch') OR EXISTS (
					SELECT 1 FROM stages s WHERE s.pipeline = d.pipeline AND s.name = d.stage AND s.version = s.decided))
			ORDER BY d.run_at, d.seq, d.stage LIMIT 1)
			WHERE `+turn+` ORDER BY p.id LIMIT 1`, micros(ob.tx.Now), after)
		if err != nil {
			return nil, err
		}
		if len(due) > 0 {
			return &due[0], nil
		}
	}
	return nil, nil
}

// claim takes one effect, or returns nil if somebody else has been faster.
func (ob Outbox) claim(e *Effect, lease time.Duration) (*Effect, error) {
	if e.Verb == promotion.Open || e.Verb == promotion.Merge || e.Verb == promotion.Commit || e.Verb == promotion.Dispatching {
		// Where several processes write, this locks the stage's row: a fact that is being recorded comes before or after.
		n, err := ob.tx.exec(`UPDATE stages SET fence = fence + 1 WHERE pipeline = $1 AND name = $2 AND version = decided`, e.Pipeline, e.Stage)
		if err != nil || n == 0 {
			return nil, err
		}
	}
	// The predicate is repeated here: between the look and this statement another worker of PostgreSQL may have claimed it.
	n, err := ob.tx.exec(`UPDATE effects SET state = 'doing', attempts = attempts + 1, run_at = $3, holder = $4, tried_at = $5
		WHERE pipeline = $1 AND key = $2 AND state IN ('due', 'doing') AND run_at <= $5`, e.Pipeline, e.Key(), micros(ob.tx.Now.Add(lease)), ob.tx.store.holder, micros(ob.tx.Now))
	if err != nil || n == 0 {
		return nil, err
	}
	e.State, e.Attempts, e.RunAt, e.Tried = EffectDoing, e.Attempts+1, ob.tx.Now.Add(lease), ob.tx.Now
	return e, nil
}

// FinishEffect notes that an effect has happened. It belongs into the transaction that records what it brought home.
// ErrConflict says that the lease was over and somebody else has taken it.
func (ob Outbox) FinishEffect(pipeline int64, key promotion.EffectKey, result string) error {
	return ob.tx.mustChange(fmt.Sprintf("finish %s", key), `UPDATE effects SET state = 'done', result = $3, error = '', done_at = $4, holder = ''
		WHERE pipeline = $1 AND key = $2 AND state = 'doing' AND holder = $5`, pipeline, key, result, micros(ob.tx.Now), ob.tx.store.holder)
}

// RetryEffect notes why an effect did not work out this time, and when to try again. An open, a merge, a commit or a start is decided about
// once more before that: while it was being tried, a hold could not withdraw it.
func (ob Outbox) RetryEffect(pipeline int64, key promotion.EffectKey, why string, retry time.Time) error {
	err := ob.tx.mustChange(fmt.Sprintf("retry %s", key), `UPDATE effects SET state = 'due', error = $3, run_at = $4, holder = ''
		WHERE pipeline = $1 AND key = $2 AND state = 'doing' AND holder = $5`, pipeline, key, why, micros(retry), ob.tx.store.holder)
	if err == nil {
		err = ob.tx.Ledger.touch(`SELECT pipeline, stage FROM effects WHERE pipeline = $1 AND key = $2
			AND verb IN ('open', 'merge', 'commit', 'dispatch')`, pipeline, key)
	}
	return err
}

// FailEffect gives an effect up.
func (ob Outbox) FailEffect(pipeline int64, key promotion.EffectKey, why string) error {
	return ob.tx.mustChange(fmt.Sprintf("give up %s", key), `UPDATE effects SET state = 'failed', error = $3, done_at = $4, holder = ''
		WHERE pipeline = $1 AND key = $2 AND state = 'doing' AND holder = $5`, pipeline, key, why, micros(ob.tx.Now), ob.tx.store.holder)
}

package store

import (
	"time"

	"waybill/promotion"
)

// effects are carried out in the order of decision. An effect waits for those before it in its line, and for the one
// that is being carried out in its lane. It does not wait for one in its lane that a dead process has left, or whose
// lease has run out: that may itself have to wait for long. One that is fenced waits while its stage has something
// undecided, so that a hold that is recorded first always stops it, and a sign-off whose time is over brings nothing
// about. All of a stale pipeline wait for its resync.
var effects = newQueue("effect", queueTable{
	table: "effects", key: []string{"pipeline", "key"}, order: `q.run_at, q.seq, q.stage`, columns: effectColumns,
	sets: `, tried_at = $1`, content: true, first: pressing(`q`),
	done: `, state = 'done', result = $3, done_at = $2`, told: 1,
	ready: mayMake(effectOpens(`q`), `b.rank < q.rank`) + `
		AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.lane = q.lane AND b.lane <> '' AND b.leased_until > 0
			AND NOT (b.pipeline = q.pipeline AND b.key = q.key))
		AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.pipeline = q.pipeline AND b.line = q.line AND b.line <> ''
			AND b.seq < q.seq AND b.run_at IS NOT NULL)
		AND ` + fenceOpens(`q`, `$1`) +
		unlessUnready(`q.pipeline`),
})

// fenceOpens is the condition of an effect that is not fenced, or whose stage has nothing undecided.
func fenceOpens(e, now string) string {
	return `(NOT ` + e + `.fenced OR EXISTS (SELECT 1 FROM stages s WHERE s.pipeline = ` + e + `.pipeline
		AND s.name = ` + e + `.stage AND s.version = s.decided AND (s.wake_at IS NULL OR s.wake_at > ` + now + `)))`
}

// ClaimEffect takes an effect that is due. It is nil if there is none; then wake is when the next may be tried, the
// zero time if only an event can make one due. It is ErrConflict if something that its stage has to decide was written
// meanwhile.
func (ob Outbox) ClaimEffect(c Claim) (e *Effect, wake time.Time, err error) {
	e, lease, wake, err := claim(ob.tx, effects, c, (*Effect).dest)
	if err != nil || e == nil {
		return nil, wake, err
	}
	e.Lease = lease.of(e.Pipeline, e.Key())
	if e.content != "" {
		if err := ob.tx.countContent(e.content, lease.token, isWords(e.Verb)); err != nil {
			return nil, wake, err
		}
	}
	if !e.Verb.Is(promotion.Fenced) || ob.tx.conn.ForUpdate() == "" {
		return e, wake, nil
	}
	// Where several transactions write at a time, this locks the stage's row: a fact that is being recorded comes before
	// or after.
	return e, wake, ob.tx.mustChange("claim "+string(e.Key()),
		`UPDATE stages SET fence = fence + 1 WHERE pipeline = $1 AND name = $2 AND version = decided`, e.Pipeline, e.Stage)
}

// FinishEffect notes that an effect has happened. It belongs into the transaction that records its result. Its stage is
// decided again if people could see that GitHub refused it.
func (ob Outbox) FinishEffect(e *Effect, result string) error {
	err := ob.tx.finish(e.Lease, time.Time{}, ob.tx.Now, result)
	if err == nil && e.rejected() {
		err = ob.tx.Stages.Touch(StageKey{e.Pipeline, e.Stage})
	}
	return err
}

// NoteResult notes what a claimed effect has brought before all of it is done, for who tries the rest.
func (ob Outbox) NoteResult(e *Effect, result string) error {
	e.Result = result
	return ob.tx.mustChange("note the result of "+string(e.Key()),
		`UPDATE effects SET result = $3 WHERE pipeline = $1 AND key = $2`, e.Pipeline, e.Key(), result)
}

// RetryEffect notes why an effect did not work out this time, and when to try again. One that is fenced is decided
// about once more before that: while it was being tried, a hold could not withdraw it.
func (ob Outbox) RetryEffect(e *Effect, why string, when time.Time) error {
	err := ob.tx.retry(e.Lease, why, when)
	if err == nil && (e.Verb.Is(promotion.Fenced) || e.rejected()) {
		err = ob.tx.Stages.Touch(StageKey{e.Pipeline, e.Stage})
	}
	return err
}

// AwaitContent notes that an effect waits until content may be made. As RetryEffect it has one that is fenced decided
// about once more.
func (ob Outbox) AwaitContent(e *Effect, why string, n NoContent) error {
	err := ob.tx.await(e.Lease, why, n)
	if err == nil && (e.Verb.Is(promotion.Fenced) || e.rejected()) {
		err = ob.tx.Stages.Touch(StageKey{e.Pipeline, e.Stage})
	}
	return err
}

// RejectEffect notes whether GitHub refuses an effect that is being tried, for people to see; the zero value says that
// it does not.
func (ob Outbox) RejectEffect(e *Effect, r promotion.Rejection) error {
	if r == (promotion.Rejection{}) && !e.rejected() {
		return nil
	}
	err := ob.tx.mustChange("note whether GitHub refuses "+string(e.Key()),
		`UPDATE effects SET refusal = $3, refused_at = $4, given_up_at = $5 WHERE pipeline = $1 AND key = $2`,
		e.Pipeline, e.Key(), r.Words, micros(r.Since), micros(r.Until))
	if err == nil {
		err = ob.tx.Stages.Touch(StageKey{e.Pipeline, e.Stage})
	}
	return err
}

// FailEffect gives an effect up.
func (ob Outbox) FailEffect(e *Effect, why string) error {
	if err := ob.tx.park(e.Lease, why); err != nil {
		return err
	}
	err := ob.tx.mustChange("give up "+string(e.Key()), `UPDATE effects SET state = 'failed', result = '', done_at = $3
		WHERE pipeline = $1 AND key = $2`, e.Pipeline, e.Key(), micros(ob.tx.Now))
	if err == nil && e.rejected() {
		err = ob.tx.Stages.Touch(StageKey{e.Pipeline, e.Stage})
	}
	return err
}

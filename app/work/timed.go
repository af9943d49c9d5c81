package work

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// ErrLater says that what a clock is for could not be done, and is done later. That has been written down.
type ErrLater struct{ why error }

// Error implements error.
func (e *ErrLater) Error() string { return e.why.Error() }

// Unwrap returns why it could not be done.
func (e *ErrLater) Unwrap() error { return e.why }

// OnTime does what a clock is for when it is due.
func (t *Timed) OnTime(
	ctx context.Context, name string, claim store.Claim, do func(context.Context, *store.Clock) error,
) (did bool, next time.Time, err error) {
	var c *store.Clock
	err = t.Store.Update(ctx, func(tx *store.Tx) error {
		c, next, err = tx.Clocks.ClaimClock(name, claim)
		return err
	})
	if err != nil || c == nil {
		return false, next, err
	}
	err = do(ctx, c)
	if ctx.Err() != nil {
		return false, time.Time{}, nil // we are stopping; the next start takes it up
	}
	var later *ErrLater
	if errors.As(err, &later) {
		zerolog.Ctx(ctx).Warn().Err(err).Str("clock", name).Msg("tried again later")
		err = nil
	}
	return true, time.Time{}, UnlessLost(ctx, err)
}

// AtOnce does what a clock is for, whether it is due or not. A worker that is doing so writes nothing any more.
func (t *Timed) AtOnce(
	ctx context.Context, name string, pipeline int64, do func(context.Context, *store.Clock) error,
) error {
	var c store.Clock
	err := t.Store.Update(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.Clocks.TakeClock(name, pipeline, LongLease)
		return err
	})
	if err != nil {
		return err
	}
	return UnlessLost(ctx, do(ctx, &c))
}

// Every does what a clock is for, and has it done again an interval after it began.
func (t *Timed) Every(
	ctx context.Context, c *store.Clock, interval time.Duration, do func(context.Context) error,
) error {
	began := t.Clock()
	return t.RunClock(ctx, c, InWorker, ClockBackoff, func(ctx context.Context) (Record, error) {
		if err := do(ctx); err != nil {
			return nil, err
		}
		return func(tx *store.Tx) error { return tx.Clocks.ClockDone(c, began, began.Add(interval)) }, nil
	})
}

// RunClock does what a clock is for, and writes down what comes of it: what do returns, which ends the run if there is
// no error. If there is one, the clock is tried again later, and the error of ring is an errLater. A panic is
// contained.
func (t *Timed) RunClock(
	ctx context.Context, c *store.Clock, where string, b backoff, do func(context.Context) (Record, error),
) error {
	limited, held, cancel := Leased(ctx, c.Lease, LongLease)
	defer cancel()
	var rec Record
	failed := t.Contain(limited, where, func() (err error) {
		rec, err = do(limited)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := t.CountPanic(held, where,
		t.Store.Update(held, func(tx *store.Tx) error { return recordRun(tx, c, b, rec, failed) }))
	if bug := PanicOf(err); bug != nil {
		failed = bug
		err = t.Store.Update(held, func(tx *store.Tx) error { return recordRun(tx, c, b, nil, failed) })
	}
	if err == nil && failed != nil {
		err = &ErrLater{failed}
	}
	return err
}

// recordRun writes down what comes of a run.
func recordRun(tx *store.Tx, c *store.Clock, b backoff, rec Record, failed error) error {
	if rec != nil {
		if err := rec(tx); err != nil {
			return err
		}
	}
	if failed == nil {
		return nil
	}
	return tx.Clocks.ClockFailed(c, failed.Error(), tx.Now.Add(b.After(c.Failures+1, RetryAfter(failed))))
}

// Timed does at their times what clocks are for.
type Timed struct {
	*Panics
	Store *store.Store
	Clock func() time.Time
}

package app

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// errLater says that what a clock is for could not be done, and is done later. That has been written down.
type errLater struct{ why error }

// Error implements error.
func (e *errLater) Error() string { return e.why.Error() }

// Unwrap returns why it could not be done.
func (e *errLater) Unwrap() error { return e.why }

// onTime does what a clock is for when it is due.
func (a *App) onTime(ctx context.Context, name string, claim store.Claim, do func(context.Context, *store.Clock) error) (did bool, next time.Time, err error) {
	var c *store.Clock
	err = a.store.Update(ctx, func(tx *store.Tx) error {
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
	var later *errLater
	if errors.As(err, &later) {
		zerolog.Ctx(ctx).Warn().Err(err).Str("clock", name).Msg("tried again later")
		err = nil
	}
	return true, time.Time{}, unlessLost(ctx, err)
}

// atOnce does what a clock is for, whether it is due or not. A worker that is doing so writes nothing any more.
func (a *App) atOnce(ctx context.Context, name string, pipeline int64, do func(context.Context, *store.Clock) error) error {
	var c store.Clock
	err := a.store.Update(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.Clocks.TakeClock(name, pipeline, longLease)
		return err
	})
	if err != nil {
		return err
	}
	return unlessLost(ctx, do(ctx, &c))
}

// every does what a clock is for, and has it done again an interval after it began.
func (a *App) every(ctx context.Context, c *store.Clock, interval time.Duration, do func(context.Context) error) error {
	began := a.clock()
	return a.notify(ctx, c, inWorker, clockBackoff, func(ctx context.Context) (record, error) {
		if err := do(ctx); err != nil {
			return nil, err
		}
		return func(tx *store.Tx) error { return tx.Clocks.ClockDone(c, began, began.Add(interval)) }, nil
	})
}

// notify does what a clock is for, and writes down what comes of it: what do returns, which ends the run if there is no
// error. If there is one, the clock is tried again later, and the error of ring is an errLater. A panic is contained.
func (a *App) notify(ctx context.Context, c *store.Clock, where string, b backoff, do func(context.Context) (record, error)) error {
	limited, held, cancel := leased(ctx, c.Lease, longLease)
	defer cancel()
	var rec record
	failed := a.contained(limited, where, func() (err error) {
		rec, err = do(limited)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := a.noted(held, where, a.store.Update(held, func(tx *store.Tx) error { return recordRun(tx, c, b, rec, failed) }))
	if bug := panicOf(err); bug != nil {
		failed = bug
		err = a.store.Update(held, func(tx *store.Tx) error { return recordRun(tx, c, b, nil, failed) })
	}
	if err == nil && failed != nil {
		err = &errLater{failed}
	}
	return err
}

// recordRun writes down what comes of a run.
func recordRun(tx *store.Tx, c *store.Clock, b backoff, rec record, failed error) error {
	if rec != nil {
		if err := rec(tx); err != nil {
			return err
		}
	}
	if failed == nil {
		return nil
	}
	return tx.Clocks.ClockFailed(c, failed.Error(), tx.Now.Add(b.after(c.Failures+1, retryAfter(failed))))
}

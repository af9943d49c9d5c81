package work

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// Timed does work that is due at times, by clocks in the database.
type Timed struct {
	*Panics
	Store *store.Store
	Clock func() time.Time
}

// ErrLater says that the work of a clock failed, and that its next try has been written down.
type ErrLater struct{ why error }

// Error implements error.
func (e *ErrLater) Error() string { return e.why.Error() }

// Unwrap returns the cause of the failure.
func (e *ErrLater) Unwrap() error { return e.why }

// TakeOnTime claims the clock of a name if it is due, and returns a piece of work that calls do with it. It is nil if
// none is; then next is when one is.
func (t *Timed) TakeOnTime(
	ctx context.Context, name string, claim store.Claim, do func(context.Context, *store.Clock) error,
) (piece Piece, next time.Time, err error) {
	if due, next, err := t.Store.Due(ctx, store.TimedBy(name)); err != nil || !due {
		return nil, next, err
	}
	var c *store.Clock
	err = t.Store.Update(ctx, func(tx *store.Tx) error {
		c, next, err = tx.Clocks.ClaimClock(name, claim)
		return err
	})
	if err != nil || c == nil {
		return nil, next, err
	}
	return func(ctx context.Context) error {
		err := do(ctx, c)
		if ctx.Err() != nil {
			return nil // the program stops; the next start takes the work up
		}
		var later *ErrLater
		if errors.As(err, &later) {
			zerolog.Ctx(ctx).Warn().Err(err).Str("clock", name).Msg("tried again later")
			err = nil
		}
		return UnlessLost(ctx, err)
	}, time.Time{}, nil
}

// AtOnce takes the clock of a name and a pipeline, due or not, and calls do with it. A worker that held the clock can
// write nothing any more.
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

// Every does the work of a claimed clock. If there is no error, the clock is due again an interval after the work
// began.
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

// RunClock does the work of a claimed clock and writes the record that it returns. After an error or a panic, the clock
// is due again after a delay, and RunClock returns an ErrLater.
func (t *Timed) RunClock(
	ctx context.Context, c *store.Clock, where string, b backoff, do func(context.Context) (Record, error),
) error {
	limited, held, cancel := Leased(ctx, c.Lease, LongLease)
	defer cancel()
	var rec Record
	failed := t.Contain(limited, where, func() (err error) {
		if c.Lease.Deadly() {
			return ErrDeadly
		}
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

// recordRun writes the record of a run, or when the clock is tried again.
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

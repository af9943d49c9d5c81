package app

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/internal/contain"
	"waybill/store"
)

// Where a panic may happen, for the metric. What it happened in is set aside, and everything else goes on.
const (
	inDelivery = "delivery"
	inStage    = "stage"
	inEffect   = "effect"
	inView     = "view"
	inResync   = "resync"
	inWorker   = "worker" // anywhere else: the worker leaves everything alone for a moment
)

// contained runs fn. A panic in it is an error, and is counted and logged: it is a bug.
func (a *App) contained(ctx context.Context, where string, fn func() error) error {
	return a.noted(ctx, where, contain.Do(fn))
}

// noted counts and logs an error if it is a panic that was contained, in a transaction for instance, and returns it.
func (a *App) noted(ctx context.Context, where string, err error) error {
	if p := panicOf(err); p != nil {
		a.panicked(p.Text, p.Stack)
		a.metrics.panics.WithLabelValues(where).Inc()
		zerolog.Ctx(ctx).Error().Str("panic", p.Text).Bytes("stack", p.Stack).Msg("a bug in Waybill, contained in one " + where)
	}
	return err
}

// panicOf returns the panic that an error is; nil if it is none.
func panicOf(err error) *contain.Panic {
	var p *contain.Panic
	errors.As(err, &p)
	return p
}

// safely makes a worker's step survive what is not contained closer to where it happens. A step that took longer than
// its lease may find its work taken over by another process: then it has nothing to write any more.
func (a *App) safely(do step) step {
	return func(ctx context.Context) (did bool, next time.Time, err error) {
		err = a.contained(ctx, inWorker, func() error {
			did, next, err = do(ctx)
			return err
		})
		if errors.Is(err, store.ErrConflict) {
			zerolog.Ctx(ctx).Info().Err(err).Msg("another process has taken this over")
			return true, time.Time{}, nil
		}
		return did, next, err
	}
}

package work

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"waybill/internal/contain"
	"waybill/store"
)

// Where a panic may happen, for the metric. What it happened in is set aside, and everything else goes on.
const (
	InDelivery = "delivery"
	InStage    = "stage"
	InEffect   = "effect"
	InView     = "view"
	InResync   = "resync"
	InWorker   = "worker" // anywhere else: the worker leaves everything alone for a moment
)

// Contain runs fn. A panic in it is an error, and is counted and logged: it is a bug.
func (ps *Panics) Contain(ctx context.Context, where string, fn func() error) error {
	return ps.CountPanic(ctx, where, contain.Do(fn))
}

// CountPanic counts and logs an error if it is a panic that was contained, in a transaction for instance, and returns
// it.
func (ps *Panics) CountPanic(ctx context.Context, where string, err error) error {
	if p := PanicOf(err); p != nil {
		ps.Hear(p.Text, p.Stack)
		ps.Count.WithLabelValues(where).Inc()
		zerolog.Ctx(ctx).Error().Str("panic", p.Text).Bytes("stack",
			p.Stack).Msg("a bug in Waybill, contained in one " + where)
	}
	return err
}

// PanicOf returns the panic that an error is; nil if it is none.
func PanicOf(err error) *contain.Panic {
	var p *contain.Panic
	errors.As(err, &p)
	return p
}

// Safely makes a worker's step survive what is not contained closer to where it happens. A step that took longer than
// its lease may find its work taken over by another process: then it has nothing to write any more.
func (ps *Panics) Safely(do Step) Step {
	return func(ctx context.Context) (did bool, next time.Time, err error) {
		err = ps.Contain(ctx, InWorker, func() error {
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

// Panics contains panics: it counts them, logs them, and tells whoever wants to hear of them.
type Panics struct {
	Hear  func(text string, stack []byte)
	Count *prometheus.CounterVec
}

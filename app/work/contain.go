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

// Panics contains panics: it counts and logs them, and calls Hear with each.
type Panics struct {
	Hear  func(text string, stack []byte)
	Count *prometheus.CounterVec
}

// The kinds of work that a panic may happen in, for the metric. The piece of work is set aside; all other work goes on.
const (
	InDelivery = "delivery"
	InStage    = "stage"
	InEffect   = "effect"
	InView     = "view"
	InResync   = "resync"
	InWorker   = "worker" // anywhere else: the worker pauses for a moment
)

// Contain runs fn. It counts and logs a panic in fn, which is a bug, and returns it as an error.
func (ps *Panics) Contain(ctx context.Context, where string, fn func() error) error {
	return ps.CountPanic(ctx, where, contain.Do(fn))
}

// CountPanic counts and logs an error if it is a contained panic, for instance one in a transaction, and returns the
// error.
func (ps *Panics) CountPanic(ctx context.Context, where string, err error) error {
	if p := PanicOf(err); p != nil {
		ps.Hear(p.Text, p.Stack)
		ps.Count.WithLabelValues(where).Inc()
		zerolog.Ctx(ctx).Error().Str("panic", p.Text).Bytes("stack",
			p.Stack).Msg("a bug in Waybill, contained in one " + where)
	}
	return err
}

// PanicOf returns the panic that an error wraps; nil if it wraps none.
func PanicOf(err error) *contain.Panic {
	var p *contain.Panic
	errors.As(err, &p)
	return p
}

// Safely returns a Take that contains the panics which are not contained closer to their cause. If a piece of work took
// longer than its lease, another process may have taken it over; then there is nothing left to write.
func (ps *Panics) Safely(take Take) Take {
	return func(ctx context.Context, c store.Claim) (Piece, time.Time, error) {
		var do Piece
		var next time.Time
		err := ps.guard(ctx, func() error {
			var err error
			do, next, err = take(ctx, c)
			return err
		})
		if err != nil || do == nil {
			return nil, next, err
		}
		return func(ctx context.Context) error { return ps.guard(ctx, func() error { return do(ctx) }) }, next, nil
	}
}

func (ps *Panics) guard(ctx context.Context, do func() error) error {
	err := ps.Contain(ctx, InWorker, do)
	if errors.Is(err, store.ErrConflict) {
		zerolog.Ctx(ctx).Info().Err(err).Msg("another process has taken this over")
		return nil
	}
	return err
}

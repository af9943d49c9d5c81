package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// Workers says how many workers there are of each kind; 0 is the usual number. Each waits for GitHub most of the time,
// not for a processor.
type Workers struct {
	Intake  int // handle deliveries
	Effects int // carry out effects
	Views   int // show views
	Resyncs int // resync pipelines
	// PerAccount is how many workers of a kind serve one installation at a time; 0 is half of them, so that an
	// installation that answers slowly leaves workers to the others.
	PerAccount int
}

// orUsual fills in the usual numbers.
func (w Workers) orUsual() Workers {
	w.Intake, w.Effects = cmp.Or(w.Intake, 4), cmp.Or(w.Effects, 8)
	w.Views, w.Resyncs = cmp.Or(w.Views, 4), cmp.Or(w.Resyncs, 2)
	return w
}

// claim is what one of several workers of a kind claims.
func (w Workers) claim(workers int, lease time.Duration) store.Claim {
	return store.Claim{Lease: lease, Limit: cmp.Or(w.PerAccount, max(1, workers/2))}
}

// How long claimed work belongs to a worker. Half of that is the time that GitHub has to answer: a worker that has not
// lost its lease has ended by then.
const (
	lease     = time.Minute
	workLease = 4 * time.Minute  // for deliveries and views, which may need several requests
	longLease = 10 * time.Minute // for resyncs and what else is done at intervals
)

// leased returns two contexts for the work that a lease is for: one that ends well before the lease does, to do the
// work with, and one to write down with what came of it. An Update with either is refused once the lease is lost.
func leased(ctx context.Context, l store.Lease, length time.Duration) (limited, held context.Context, cancel context.CancelFunc) {
	held = store.Holding(ctx, l)
	limited, cancel = context.WithTimeout(held, length/2)
	return limited, held, cancel
}

// unlessLost returns an error, but none if it is that another worker has taken the work over, which writes down what
// comes of it.
func unlessLost(ctx context.Context, err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		zerolog.Ctx(ctx).Info().Err(err).Msg("another worker goes on")
		return nil
	}
	return err
}

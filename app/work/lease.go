package work

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// How long claimed work belongs to a worker. Half of that is the time that GitHub has to answer: a worker that has not
// lost its lease has ended by then.
const (
	Lease     = time.Minute
	WorkLease = 4 * time.Minute  // for deliveries and views, which may need several requests
	LongLease = 10 * time.Minute // for resyncs and what else is done at intervals
)

// Leased returns two contexts for the work that a lease is for: one that ends well before the lease does, to do the
// work with, and one to write down with what came of it. An Update with either is refused once the lease is lost.
func Leased(
	ctx context.Context, l store.Lease, length time.Duration,
) (limited, held context.Context, cancel context.CancelFunc) {
	held = store.Holding(ctx, l)
	limited, cancel = context.WithTimeout(held, length/2)
	return limited, held, cancel
}

// UnlessLost returns an error, but none if it is that another worker has taken the work over, which writes down what
// comes of it.
func UnlessLost(ctx context.Context, err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		zerolog.Ctx(ctx).Info().Err(err).Msg("another worker goes on")
		return nil
	}
	return err
}

package work

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// How long claimed work belongs to a worker. GitHub has half of that time to answer: a worker that still holds its
// lease has ended by then.
const (
	ShortLease = time.Minute
	UsualLease = 4 * time.Minute  // for deliveries and views, which may need several requests
	LongLease  = 10 * time.Minute // for resyncs and other work at intervals
)

// Leased returns two contexts for work under a lease. limited ends well before the lease does and is for the work
// itself; held is for recording the result. An Update with either fails with store.ErrLeaseLost once the lease is lost.
func Leased(
	ctx context.Context, l store.Lease, length time.Duration,
) (limited, held context.Context, cancel context.CancelFunc) {
	held = store.Holding(ctx, l)
	limited, cancel = context.WithTimeout(held, length/2)
	return limited, held, cancel
}

// UnlessLost returns an error, or nil if the error is that another worker has taken the work over: that worker records
// the result.
func UnlessLost(ctx context.Context, err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		zerolog.Ctx(ctx).Info().Err(err).Msg("another worker goes on")
		return nil
	}
	return err
}

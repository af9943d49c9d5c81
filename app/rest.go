package app

import (
	"context"
	"time"

	"waybill/store"
)

// Rest waits until nothing is left to do: every delivery is handled, every stage is decided, every effect is carried
// out and every view is shown, except for what waits for a clock. It returns when that is due, the zero time if nothing
// is.
func (a *App) Rest(ctx context.Context) (next time.Time, err error) {
	for {
		var n int64
		err := a.store.View(ctx, func(tx *store.Tx) error {
			n, next, err = tx.Upkeep.Backlog()
			return err
		})
		if err != nil {
			return next, err
		}
		if n == 0 && a.ready.settled() {
			return next, nil
		}
		select {
		case <-ctx.Done():
			return next, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

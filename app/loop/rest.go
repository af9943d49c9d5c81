package loop

import (
	"context"
	"time"

	"waybill/app/work"
	"waybill/store"
)

// Rest waits until nothing is left to do: every delivery is handled, every stage is decided, every effect is carried
// out and every view is shown, except for what waits for a clock. It returns when that is due, the zero time if nothing
// is. A worker may have something to do behind what it has written down: Rest waits for that, too.
func (l *Loop) Rest(ctx context.Context) (next time.Time, err error) {
	for {
		var n int64
		err := l.Store.View(ctx, func(tx *store.Tx) error {
			n, next, err = tx.Upkeep.Backlog()
			return err
		})
		if err != nil {
			return next, err
		}
		if n == 0 && l.Ready.known() && l.stepping.Load() == 0 {
			return next, nil
		}
		select {
		case <-ctx.Done():
			return next, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// CountSteps counts a worker's steps that are under way.
func (l *Loop) CountSteps(do work.Step) work.Step {
	return func(ctx context.Context) (did bool, next time.Time, err error) {
		l.stepping.Add(1)
		defer l.stepping.Add(-1)
		return do(ctx)
	}
}

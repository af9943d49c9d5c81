package loop

import (
	"context"
	"time"

	"waybill/app/work"
	"waybill/store"
)

// Rest waits until every delivery is handled, every stage decided, every effect carried out and every view shown,
// except for work that waits for a clock. It returns when that is due; the zero time if there is none. It also waits
// for steps under way: a worker may still act behind its last transaction.
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

// CountSteps returns a step that counts while it is under way, for Rest.
func (l *Loop) CountSteps(do work.Step) work.Step {
	return func(ctx context.Context) (did bool, next time.Time, err error) {
		l.stepping.Add(1)
		defer l.stepping.Add(-1)
		return do(ctx)
	}
}

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
		ended, idle := l.ended.Load(), l.underWay.Load() == 0
		var n int64
		err := l.Store.View(ctx, func(tx *store.Tx) error {
			n, next, err = tx.Upkeep.Backlog()
			return err
		})
		if err != nil {
			return next, err
		}
		// What ended behind the count may have left work that the count did not see.
		_, looking, _ := l.Grants.Due(l.Clock())
		if idle && n == 0 && l.SignIn.known() && !looking && l.underWay.Load() == 0 && l.ended.Load() == ended {
			return next, nil
		}
		select {
		case <-ctx.Done():
			return next, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// CountPieces returns a Take that counts, for Rest, until what it has taken is done.
func (l *Loop) CountPieces(take work.Take) work.Take {
	return func(ctx context.Context, c store.Claim) (work.Piece, time.Time, error) {
		l.underWay.Add(1)
		do, next, err := take(ctx, c)
		if do == nil {
			l.underWay.Add(-1)
			return nil, next, err
		}
		return func(ctx context.Context) error {
			defer func() {
				l.ended.Add(1)
				l.underWay.Add(-1)
			}()
			return do(ctx)
		}, next, err
	}
}

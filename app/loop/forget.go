package loop

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// How old rows are removed: a round looks at every row once, a few rows in a transaction and then a pause, so that
// other writers wait for a few milliseconds at most.
const (
	ForgetFirst = time.Minute            // after the start, when the other workers are busy
	forgetEvery = 6 * time.Hour          // between two rounds
	forgetPause = 200 * time.Millisecond // between two transactions
	forgetRows  = 200                    // looked at in a transaction
	// ForgetLater is how long the other workers go first at most: an endless backlog must not fill the disk.
	ForgetLater = 10 * time.Minute
)

// forgetting is the progress of the present round. After a restart, a new round begins.
type forgetting struct {
	keep    store.Retention
	pruning store.Pruning
	due     time.Time
	waiting time.Time // since when others go first
}

// ForgetNext removes some old rows that are needed no more, unless other work waits.
func (l *Loop) ForgetNext(ctx context.Context) (did bool, next time.Time, err error) {
	f, now := &l.forgetting, l.Clock()
	if f.due.IsZero() {
		f.due = now.Add(ForgetFirst)
	}
	if now.Before(f.due) {
		return false, f.due, nil
	}
	busy, err := l.busy(ctx)
	if err != nil {
		return false, time.Time{}, err
	}
	if !busy || f.waiting.IsZero() {
		f.waiting = now
	}
	f.due = now.Add(forgetPause)
	if busy && now.Sub(f.waiting) < ForgetLater {
		return false, f.due, nil
	}
	return false, f.due, l.forgetSome(ctx)
}

// busy reports whether there is work that people wait for.
func (l *Loop) busy(ctx context.Context) (busy bool, err error) {
	err = l.Store.View(ctx, func(tx *store.Tx) error {
		n, _, err := tx.Upkeep.Backlog()
		busy = n > 0
		return err
	})
	return busy, err
}

// forgetSome looks at a few rows. At the end of a round it gives some pages back.
func (l *Loop) forgetSome(ctx context.Context) error {
	f := &l.forgetting
	if f.pruning.Done {
		return l.shrinkSome(ctx)
	}
	next := f.pruning
	err := l.Store.Update(ctx, func(tx *store.Tx) (err error) {
		next, err = tx.Upkeep.Prune(f.keep.Horizon(tx.Now), f.pruning, forgetRows)
		return err
	})
	if err != nil {
		return err
	}
	l.Metrics.Forgotten.Add(float64(next.Gone - f.pruning.Gone))
	f.pruning = next
	return nil
}

// shrinkSome gives some pages back, and ends the round when there are none left.
func (l *Loop) shrinkSome(ctx context.Context) error {
	shrunk, err := l.Store.Shrink(ctx)
	if err != nil || shrunk {
		return err
	}
	zerolog.Ctx(ctx).Info().Int64("rows", l.forgetting.pruning.Gone).Msg("forgotten")
	l.forgetting.pruning, l.forgetting.due = store.Pruning{}, l.Clock().Add(forgetEvery)
	return nil
}

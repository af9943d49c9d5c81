package store

import (
	"context"
	"fmt"
	"time"

	"waybill/promotion"
)

// Work is a kind of work that waits in the database.
type Work struct {
	queue *queue
}

// The kinds of work.
var (
	Deliveries  = Work{deliveries}
	Effects     = Work{effects}
	ViewsToDo   = Work{views}
	ToRedeliver = Work{missed}
)

// TimedBy is the work of the clocks of a name.
func TimedBy(name string) Work { return Work{clocks[name]} }

// Due reports whether work of a kind may be due, and otherwise when some is, the zero time if only an event can bring
// that about; it may be when a lease would have run out that has ended. It is one statement that reads: a worker that
// is woken in vain costs no more. It is none while nothing has been written that could change the answer.
func (s *Store) Due(ctx context.Context, w Work) (some bool, next time.Time, err error) {
	some, next, err = s.look(w.queue.name, w.queue.in, func() (some bool, next time.Time, err error) {
		err = s.ViewOne(ctx, func(tx *Tx) error {
			some, next, err = tx.due(w.queue)
			return err
		})
		return some, next, err
	})
	if some {
		next = time.Time{}
	}
	return some, next, err
}

// NextUndecided is that of the ledger, without a transaction of its own, and without a statement while nothing has been
// written that could change the answer.
func (s *Store) NextUndecided(ctx context.Context, after StageKey) (key StageKey, wake time.Time, err error) {
	_, wake, err = s.look("undecided stage", undecidedIn, func() (some bool, wake time.Time, err error) {
		err = s.ViewOne(ctx, func(tx *Tx) error {
			key, wake, err = tx.Ledger.NextUndecided(after)
			return err
		})
		return key.Stage != "", wake, err
	})
	return key, wake, err
}

// undecidedIn are the tables that tell of undecided stages.
var undecidedIn = tablesOf("stages", "pipelines")

// due reports whether a row of a queue is due, and when else one is or can be taken over; if there is one, which may be
// now.
func (tx *Tx) due(q *queue) (some bool, next time.Time, err error) {
	var first, second, expires time.Time
	if _, err := tx.one([]any{at(&first), at(&second), at(&expires)}, q.peek); err != nil {
		return false, next, fmt.Errorf("look for a %s: %w", q.name, err)
	}
	if !expires.IsZero() {
		next = tx.Now.Add(expires.Sub(tx.conn.Steady()))
	}
	expired := !next.IsZero() && !next.After(tx.Now)
	if some = !first.IsZero() && !first.After(tx.Now); some {
		first = second
	}
	return some || expired, promotion.Sooner(first, next), nil
}

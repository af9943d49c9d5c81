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
	var seen dueRows
	some, next, err = s.look(w.queue.name, w.queue.in, func() (some bool, next time.Time, err error) {
		err = s.ViewOne(ctx, func(tx *Tx) error {
			seen, err = tx.due(w.queue)
			return err
		})
		s.looks.noteLeases(w.queue, err != nil || !seen.expires.IsZero())
		if seen.some && seen.behind { // no claim may conclude from this look that none is left
			seen.next = s.clock()
		}
		return seen.some, seen.next, err
	})
	switch {
	case some && seen.behind: // not remembered: the end of work that leaves nothing due is no news
		return false, seen.expires, err
	case some:
		next = time.Time{}
	}
	return some, next, err
}

// NextUndecided is that of the ledger, without a transaction of its own, and without a statement while nothing has been
// written that could change the answer.
func (s *Store) NextUndecided(
	ctx context.Context, after StageKey, suspect bool,
) (key StageKey, wake time.Time, err error) {
	name := "undecided stage"
	if suspect {
		name = "suspect stage"
	}
	_, wake, err = s.look(name, undecidedIn, func() (some bool, wake time.Time, err error) {
		err = s.ViewOne(ctx, func(tx *Tx) error {
			key, wake, err = tx.Stages.NextUndecided(after, suspect)
			return err
		})
		return key.Stage != "", wake, err
	})
	return key, wake, err
}

// undecidedIn are the tables that tell of undecided stages.
var undecidedIn = tablesOf("stages", "pipelines")

// dueRows is what a look at a queue has seen.
type dueRows struct {
	some    bool      // a row is due, or can be taken over
	next    time.Time // when else one is or can be; if there is one, which may be now
	expires time.Time // when the first lease runs out; zero: there is none
	behind  bool      // every row waits for one of its repository that is leased alone, and no lease has run out
}

// due looks at a queue.
func (tx *Tx) due(q *queue) (seen dueRows, err error) {
	var first, second, expires time.Time
	if _, err := tx.one([]any{at(&first), at(&second), at(&expires), &seen.behind}, q.peek,
		micros(tx.conn.Steady())); err != nil {
		return seen, fmt.Errorf("look for a %s: %w", q.name, err)
	}
	if !expires.IsZero() {
		seen.expires = tx.Now.Add(expires.Sub(tx.conn.Steady()))
	}
	expired := !seen.expires.IsZero() && !seen.expires.After(tx.Now)
	if seen.some = !first.IsZero() && !first.After(tx.Now); seen.some {
		first = second
	}
	seen.behind = seen.behind && !expired
	seen.some, seen.next = seen.some || expired, promotion.Sooner(first, seen.expires)
	return seen, nil
}

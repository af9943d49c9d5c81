package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLeaseLost says that another worker has taken the work over, because its lease had run out or because it was wanted
// at once. The result is the other's to write down.
var ErrLeaseLost = errors.New("the lease is over, and another worker has the work")

// Lease is the right to work on a row of a queue. It is lost when its time is over and another worker claims the row.
type Lease struct {
	queue *queue
	token string
	key   []any
	// deaths of processes in the middle of the work
	deaths int
}

// of returns the lease of the row with a key.
func (l Lease) of(key ...any) Lease {
	l.key = key
	return l
}

// args are the parameters of a statement of the lease.
func (l Lease) args(first ...any) []any { return append(append(first, l.token), l.key...) }

// newToken names a lease of this process.
func (s *Store) newToken() string { return fmt.Sprintf("%s/%d", s.holder, s.leases.Add(1)) }

type leaseKey struct{}

// Holding returns a context for the work that a lease is for. An Update with it first makes sure that the lease is
// held, and is ErrLeaseLost if it is not: a worker that stood still for too long writes nothing.
func Holding(ctx context.Context, l Lease) context.Context {
	return context.WithValue(ctx, leaseKey{}, l)
}

// Holds reports whether a context is that of work under a lease.
func Holds(ctx context.Context) bool {
	_, has := ctx.Value(leaseKey{}).(Lease)
	return has
}

// hold makes sure that the lease of a context is held, if it has one, and keeps others from claiming the row until the
// transaction ends.
func (tx *Tx) hold(ctx context.Context) error {
	l, has := ctx.Value(leaseKey{}).(Lease)
	if !has {
		return nil
	}
	var one int
	found, err := tx.one([]any{&one}, l.queue.hold+tx.conn.ForUpdate(), l.args()...)
	if err == nil && !found {
		err = ErrLeaseLost
	}
	return wrap("go on with a "+l.queue.name, err)
}

// end ends a lease.
func (tx *Tx) end(how string, l Lease, args ...any) error {
	if l.queue == nil {
		return fmt.Errorf("%s: %w", how, ErrLeaseLost)
	}
	n, err := tx.exec(l.queue.ends[how], l.args(args...)...)
	if err == nil && n == 0 {
		err = ErrLeaseLost
	}
	return wrap(how+" a "+l.queue.name, err)
}

// finish ends a lease whose work is done. The row waits for its next time; the zero time is never. If it was wanted
// once more meanwhile, it waits for that instead, and at least until notBefore. Rows of some queues are told more.
func (tx *Tx) finish(l Lease, next, notBefore time.Time, told ...any) error {
	if l.queue == nil {
		return fmt.Errorf("%s: %w", finishing, ErrLeaseLost)
	}
	var due time.Time
	var found bool
	err := tx.unnoted(l.queue.in, func() (err error) {
		found, err = tx.one([]any{at(&due)}, l.queue.ends[finishing],
			l.args(append([]any{micros(next), micros(notBefore)}, told...)...)...)
		return err
	})
	if !due.IsZero() {
		tx.wrote |= l.queue.in
	}
	if err == nil && !found {
		err = ErrLeaseLost
	}
	return wrap(finishing+" a "+l.queue.name, err)
}

// retry ends a lease whose work failed, and says why, and when it is tried again: if its account is shut, as soon as
// that opens.
func (tx *Tx) retry(l Lease, why string, when time.Time) error {
	return tx.end(retrying, l, why, micros(when), micros(tx.Now))
}

// park ends a lease whose work failed for good, and says why. The row waits no more, until it is wanted again.
func (tx *Tx) park(l Lease, why string) error { return tx.end(parking, l, why) }

// NoContent says that an installation may make no content now.
type NoContent struct {
	Installation int64
	Sent         bool // GitHub was asked for it, and has refused it
}

// await ends a lease whose work has to wait until content may be made. It was no attempt if GitHub was not asked.
func (tx *Tx) await(l Lease, why string, n NoContent) error {
	unsent := 1
	if n.Sent {
		unsent = 0
	}
	return tx.end(awaiting, l, why, micros(tx.Now), accountOf(n.Installation), unsent)
}

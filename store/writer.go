package store

import (
	"context"
	"fmt"
	"runtime"

	"waybill/internal/contain"
)

// maxGroup is how many callers share a transaction at most.
const maxGroup = 256

// writer owns the one connection that writes. Callers that wait while a transaction is committed go into the next one
// together, each under a savepoint of its own unless it is one statement, and are answered when that one is durable. There is no timer: a lone
// caller does not wait for company.
type writer struct {
	conn    *conn
	queue   chan *caller
	stopped chan struct{}
}

// caller is somebody who waits for a turn at the writing connection.
type caller struct {
	single  bool       // its part is one statement
	turn    chan *Tx   // receives the transaction, or is closed if there is none to be had
	left    chan error // the caller's verdict on its own part
	settled chan error // what has become of it, once it is durable or undone
}

func newCaller(single bool) *caller {
	return &caller{single: single, turn: make(chan *Tx, 1), left: make(chan error, 1), settled: make(chan error, 1)}
}

func newWriter(c *conn) *writer {
	return &writer{conn: c, queue: make(chan *caller), stopped: make(chan struct{})}
}

// Update runs fn in a transaction and returns when what it wrote is durable. An error of fn undoes what fn wrote and
// nothing else; so does a panic, which is returned as a contain.Panic. fn may be run together with those of other callers in
// one transaction of the database, one after the other: it should be short, and must not wait for anything, least of
// all for another Update or View. It runs on the goroutine of its caller.
//
// The context is heeded while waiting for a turn, no longer after that.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	return s.call(ctx, newCaller(false), fn)
}

// updateOnce is Update for an fn that runs one statement: one that fails has undone itself, so that it takes no savepoint.
func (s *Store) updateOnce(ctx context.Context, fn func(tx *Tx) error) error {
	return s.call(ctx, newCaller(true), fn)
}

// call waits for a turn, runs fn, and waits until that is durable.
func (s *Store) call(ctx context.Context, c *caller, fn func(tx *Tx) error) error {
	if err := s.unusable(ctx); err != nil {
		return err
	}
	select {
	case s.writer.queue <- c:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return ErrClosed
	}
	if tx, ok := <-c.turn; ok {
		c.take(tx, fn)
	}
	return <-c.settled
}

// unusable returns why there is no turn to be had, if that is known before waiting for one.
func (s *Store) unusable(ctx context.Context) error {
	select {
	case <-s.closed:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// take runs fn and tells the writer how it ended, also when fn ends the goroutine.
func (c *caller) take(tx *Tx, fn func(tx *Tx) error) {
	err := errAbandoned
	defer func() { c.left <- err }()
	err = protect(tx, fn)
}

var errAbandoned = fmt.Errorf("transaction abandoned: its goroutine has ended")

// protect runs fn and returns a panic as an error.
func protect(tx *Tx, fn func(tx *Tx) error) error {
	return contain.Do(func() error { return fn(tx) })
}

// run serves callers until the store is closed.
func (w *writer) run(s *Store) {
	defer close(w.stopped)
	for {
		select {
		case c := <-w.queue:
			w.group(s, c)
		case <-s.closed:
			return
		}
	}
}

// group serves first, and whoever else waits, in one transaction.
func (w *writer) group(s *Store, first *caller) {
	if _, err := w.conn.exec(`BEGIN IMMEDIATE`); err != nil {
		w.refuse(first, fmt.Errorf("begin: %w", explain(err)))
		return
	}
	var served []*caller
	var broken error
	for c := first; c != nil; {
		var kept bool
		if kept, broken = w.serve(s, c); kept {
			served = append(served, c)
		}
		if broken != nil {
			break
		}
		c = w.next(len(served))
	}
	err := w.end(broken)
	for _, c := range served {
		c.settled <- err
	}
}

// refuse tells a caller, and whoever has waited meanwhile, that there is no transaction to be had: nobody waits for another
// program's lock longer than once.
func (w *writer) refuse(first *caller, err error) {
	for n, c := 0, first; c != nil; c = w.next(n) {
		close(c.turn)
		c.settled <- err
		n++
	}
}

// next returns somebody who waits already, or nil. Whoever is about to wait gets the chance to: a transaction more costs
// everybody a synchronization of the disk.
func (w *writer) next(served int) *caller {
	if served >= maxGroup {
		return nil
	}
	select {
	case c := <-w.queue:
		return c
	default:
		runtime.Gosched()
	}
	select {
	case c := <-w.queue:
		return c
	default:
		return nil
	}
}

// serve gives one caller its turn. It reports whether the caller is to be told how the transaction ends; one whose part
// was undone is told at once. A broken transaction is one that the database has given up as a whole.
func (w *writer) serve(s *Store, c *caller) (kept bool, broken error) {
	if err := w.mark(c); err != nil {
		close(c.turn)
		c.settled <- fmt.Errorf("begin: %w", explain(err))
		return false, err
	}
	c.turn <- s.newTx(w.conn)
	failed := <-c.left
	if failed == nil {
		return true, w.keep(c)
	}
	broken = w.undo(c, failed)
	c.settled <- explain(failed)
	return false, broken
}

// mark remembers where the part of a caller begins.
func (w *writer) mark(c *caller) error {
	if c.single {
		return nil
	}
	_, err := w.conn.exec(`SAVEPOINT caller`)
	return err
}

// keep has what a caller wrote become part of the transaction.
func (w *writer) keep(c *caller) error {
	if c.single {
		return nil
	}
	_, err := w.conn.exec(`RELEASE caller`)
	return err
}

// undo removes what a caller wrote. A single statement that broke a rule has written nothing; after any other failure of
// one nobody knows what the transaction still holds.
func (w *writer) undo(c *caller, failed error) error {
	if c.single {
		if isConstraint(failed) {
			return nil
		}
		return failed
	}
	if _, err := w.conn.exec(`ROLLBACK TO caller`); err != nil {
		return err
	}
	return w.keep(c)
}

// end commits the transaction, or rolls it back if it is broken or cannot be committed.
func (w *writer) end(broken error) error {
	err := broken
	if err == nil {
		_, err = w.conn.exec(`COMMIT`)
	}
	if err == nil {
		return nil
	}
	_, _ = w.conn.exec(`ROLLBACK`) // fails when the database has done so itself
	return fmt.Errorf("commit: %w", explain(err))
}

package store

import (
	"context"
	"fmt"
	"runtime/debug"
)

// maxGroup is how many callers share a transaction at most.
const maxGroup = 256

// writer owns the one connection that writes. Callers that wait while a transaction is committed go into the next one
// together, each under a savepoint of its own, and are answered when that one is durable. There is no timer: a lone
// caller does not wait for company.
type writer struct {
	conn    *conn
	queue   chan *caller
	stopped chan struct{}
}

// caller is somebody who waits for a turn at the writing connection.
type caller struct {
	turn    chan *Tx   // receives the transaction, or is closed if there is none to be had
	left    chan error // the caller's verdict on its own part
	settled chan error // what has become of it, once it is durable or undone
}

func newWriter(c *conn) *writer {
	return &writer{conn: c, queue: make(chan *caller), stopped: make(chan struct{})}
}

// Update runs fn in a transaction and returns when what it wrote is durable. An error of fn undoes what fn wrote and
// nothing else; so does a panic, which is returned as an error. fn may be run together with those of other callers in
// one transaction of the database, one after the other: it should be short, and must not wait for anything, least of
// all for another Update or View. It runs on the goroutine of its caller.
//
// The context is heeded while waiting for a turn, no longer after that.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	c := &caller{turn: make(chan *Tx, 1), left: make(chan error, 1), settled: make(chan error, 1)}
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
func protect(tx *Tx, fn func(tx *Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", r, debug.Stack())
		}
	}()
	return fn(tx)
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
		close(first.turn)
		first.settled <- fmt.Errorf("begin: %w", explain(err))
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

// next returns somebody who waits already, or nil.
func (w *writer) next(served int) *caller {
	if served >= maxGroup {
		return nil
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
	if _, err := w.conn.exec(`SAVEPOINT caller`); err != nil {
		close(c.turn)
		c.settled <- fmt.Errorf("begin: %w", explain(err))
		return false, err
	}
	c.turn <- s.newTx(w.conn)
	failed := <-c.left
	if failed == nil {
		_, err := w.conn.exec(`RELEASE caller`)
		return true, err
	}
	_, broken = w.conn.exec(`ROLLBACK TO caller`)
	if broken == nil {
		_, broken = w.conn.exec(`RELEASE caller`)
	}
	c.settled <- explain(failed)
	return false, broken
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

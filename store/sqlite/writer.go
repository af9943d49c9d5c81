package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"waybill/internal/contain"
	"waybill/store/driver"
)

// maxGroup is how many callers share a transaction at most.
const maxGroup = 256

// writer owns the one connection that writes. Callers that wait while a transaction is committed go into the next one
// together, each behind the first under a savepoint of its own unless it is one statement, and are answered when that
// one is durable. There is no timer: a lone caller does not wait for company, and if its part is one statement, that is
// a transaction by itself.
type writer struct {
	conn    *conn
	queue   chan *caller
	stopped chan struct{}
}

// caller waits for a turn at the writing connection.
type caller struct {
	single  bool              // its part is one statement
	first   bool              // its part is the first of the transaction
	turn    chan *transaction // receives its part, or is closed if the transaction could not begin
	left    chan error        // the caller's verdict on its own part
	settled chan error        // the end of the whole transaction: durable or undone
}

func newCaller(single bool) *caller {
	return &caller{
		single: single, turn: make(chan *transaction, 1), left: make(chan error, 1), settled: make(chan error, 1),
	}
}

func newWriter(c *conn) *writer {
	return &writer{conn: c, queue: make(chan *caller), stopped: make(chan struct{})}
}

// Update implements driver.DB. fn shares a transaction of SQLite with those of other callers, one after the other.
func (db *DB) Update(ctx context.Context, fn func(driver.Conn) error) error {
	return db.call(ctx, newCaller(false), fn)
}

// UpdateOne implements driver.DB: without a savepoint.
func (db *DB) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return db.call(ctx, newCaller(true), fn)
}

// call waits for a turn, runs fn, and waits until that is durable.
func (db *DB) call(ctx context.Context, c *caller, fn func(driver.Conn) error) error {
	if err := db.usable(ctx); err != nil {
		return err
	}
	select {
	case db.writer.queue <- c:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return driver.ErrClosed
	}
	if result, ok := <-c.turn; ok {
		c.take(result, fn)
	}
	return <-c.settled
}

// usable returns why no transaction can begin, if that is known already.
func (db *DB) usable(ctx context.Context) error {
	select {
	case <-db.closed:
		return driver.ErrClosed
	default:
		return ctx.Err()
	}
}

var errAbandoned = errors.New("transaction abandoned: its goroutine has ended")

// take runs fn and tells the writer how it ended, also when fn ends the goroutine. A failed statement fails the part,
// whether fn returns the error or not.
func (c *caller) take(result *transaction, fn func(driver.Conn) error) {
	err := errAbandoned
	defer func() { c.left <- err }()
	err = contain.Do(func() error { return fn(result) })
	if err == nil {
		err = result.failed
	}
}

// run serves callers until the database is closed.
func (w *writer) run(db *DB) {
	defer close(w.stopped)
	for {
		select {
		case c := <-w.queue:
			for c != nil {
				c = w.group(db, c)
			}
		case <-db.closed:
			return
		}
	}
}

// group serves first, and all who wait meanwhile, in one transaction. It returns a caller that it has taken from the
// queue and not served, because one before it has broken the transaction; nil if there is none.
func (w *writer) group(db *DB, first *caller) *caller {
	var second *caller
	if first.single {
		if second = w.next(1); second == nil {
			first.turn <- db.begin(w.conn)
			first.settled <- <-first.left
			return nil
		}
	}
	if _, err := w.conn.exec(`BEGIN IMMEDIATE`); err != nil {
		err = fmt.Errorf("begin: %w", explain(err))
		if second != nil {
			second.refuse(err)
		}
		w.refuse(first, err)
		return nil
	}
	first.first = true
	var served []*caller
	var broken error
	for c := first; c != nil; {
		var kept bool
		if kept, broken = w.serve(db, c); kept {
			served = append(served, c)
		}
		if broken != nil {
			break
		}
		if c, second = second, nil; c == nil {
			c = w.next(len(served))
		}
	}
	err := w.end(broken)
	for _, c := range served {
		c.settled <- err
	}
	return second
}

// refuse tells a caller, and all who wait already, that no transaction could begin: no caller waits for another
// program's lock longer than once.
func (w *writer) refuse(first *caller, err error) {
	for n, c := 0, first; c != nil; c = w.next(n) {
		c.refuse(err)
		n++
	}
}

// refuse tells a caller that its part could not begin.
func (c *caller) refuse(err error) {
	close(c.turn)
	c.settled <- err
}

// next returns a caller that waits already, or nil. Goroutines that are about to wait get the chance to: one more
// transaction costs all of them a synchronization of the disk.
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
// was undone is told at once. A broken transaction is one that SQLite has given up as a whole.
func (w *writer) serve(db *DB, c *caller) (kept bool, broken error) {
	if err := w.mark(c); err != nil {
		c.refuse(fmt.Errorf("begin: %w", explain(err)))
		return false, err
	}
	c.turn <- db.begin(w.conn)
	failed := <-c.left
	if failed == nil {
		return true, nil
	}
	broken = w.undo(c, failed)
	c.settled <- failed
	return false, broken
}

// mark remembers where the part of a caller begins, unless that is known without. What stands before the mark of a
// later one cannot be undone alone any more, so that marks need not be removed.
func (w *writer) mark(c *caller) error {
	if c.single || c.first {
		return nil
	}
	_, err := w.conn.exec(`SAVEPOINT caller`)
	return err
}

// undo removes the writes of a caller. A single statement that broke a rule of the schema has written nothing; after
// any other failure of one the whole transaction goes, and after one of the first caller, which is all of it so far.
func (w *writer) undo(c *caller, failed error) error {
	if c.single && isConstraint(failed) {
		return nil
	}
	if c.single || c.first {
		return failed
	}
	_, err := w.conn.exec(`ROLLBACK TO caller`)
	return err
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
	_, _ = w.conn.exec(`ROLLBACK`) // fails when SQLite has done so itself
	return fmt.Errorf("commit: %w", explain(err))
}

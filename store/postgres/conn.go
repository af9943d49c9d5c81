package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"waybill/store/driver"
)

// transaction implements driver.Conn on a session. Its beginning is sent together with its first statement.
//
// Statements run to their end, even if the context of the caller ends: they are short. Its own context ends when the
// server has not answered for much longer than it lets a statement run.
type transaction struct {
	ctx    context.Context //nolint:containedctx // it is that of the transaction
	conn   *pgx.Conn
	heard  func(query string)
	now    time.Time
	steady time.Time

	prelude []opening // what has to be sent before the first statement
	begun   bool      // the server has got it
	failed  error     // of the first statement that failed
	single  bool      // it has one statement, and reads
	done    bool      // the statement of a single one has run
}

// opening is a statement that begins a transaction.
type opening struct {
	query string
	args  []any
	dest  []any // of its one row; empty: it has none
}

// Now implements driver.Conn.
func (t *transaction) Now() time.Time { return t.now }

// Steady implements driver.Conn.
func (t *transaction) Steady() time.Time { return t.steady }

// ForUpdate implements driver.Conn: one transaction writes at a time, so that rows need no locks.
func (t *transaction) ForUpdate() string { return "" }

// Exec implements driver.Conn.
func (t *transaction) Exec(query string, args ...any) (int64, error) {
	if err := t.may(); err != nil {
		return 0, err
	}
	t.hear(query)
	if len(t.prelude) == 0 {
		tag, err := t.conn.Exec(t.ctx, query, storableAll(args)...)
		if err != nil {
			return 0, t.fail(err)
		}
		return tag.RowsAffected(), nil
	}
	results, err := t.send(driver.Query{SQL: query, Args: args})
	if err != nil {
		return 0, t.fail(err)
	}
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, t.fail(err)
	}
	return tag.RowsAffected(), nil
}

// Query implements driver.Conn.
func (t *transaction) Query(query string, args ...any) (driver.Rows, error) {
	if err := t.may(); err != nil {
		return nil, err
	}
	t.hear(query)
	if len(t.prelude) == 0 {
		rows, err := t.conn.Query(t.ctx, query, storableAll(args)...)
		if err != nil {
			return nil, t.fail(err)
		}
		return &rowsOf{Rows: rows, of: t}, nil
	}
	results, err := t.send(driver.Query{SQL: query, Args: args})
	if err != nil {
		return nil, t.fail(err)
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // returns the same error
		return nil, t.fail(err)
	}
	return &rowsOf{Rows: rows, of: t, last: results}, nil
}

// Batch implements driver.Conn: one round trip.
func (t *transaction) Batch(queries ...driver.Query) error {
	if err := t.may(); err != nil {
		return err
	}
	for _, q := range queries {
		t.hear(q.SQL)
	}
	results, err := t.send(queries...)
	if err != nil {
		return t.fail(err)
	}
	for _, q := range queries {
		rows, err := results.Query()
		if err == nil {
			err = driver.ReadAll(&rowsOf{Rows: rows, of: t}, q.Read)
		} else {
			err = t.fail(err)
		}
		if err != nil {
			_ = results.Close() // the first error is the one to report
			return err
		}
	}
	if err := results.Close(); err != nil {
		return t.fail(err)
	}
	return nil
}

// send sends queries, and before them what begins the transaction, whose results it reads.
func (t *transaction) send(queries ...driver.Query) (pgx.BatchResults, error) {
	b := &pgx.Batch{}
	for _, o := range t.prelude {
		t.hear(o.query)
		b.Queue(o.query, o.args...)
	}
	for _, q := range queries {
		b.Queue(q.SQL, storableAll(q.Args)...)
	}
	prelude := t.prelude
	t.prelude, t.begun = nil, t.begun || len(prelude) > 0
	results := t.conn.SendBatch(t.ctx, b)
	for _, o := range prelude {
		var err error
		if len(o.dest) > 0 {
			err = results.QueryRow().Scan(o.dest...)
		} else {
			_, err = results.Exec()
		}
		if err != nil {
			_ = results.Close() // returns the same error
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
	return results, nil
}

// begin sends what begins the transaction at once.
func (t *transaction) begin() error {
	results, err := t.send()
	if err == nil {
		err = results.Close()
	}
	if err != nil {
		return t.fail(err)
	}
	return nil
}

func (t *transaction) hear(query string) {
	if t.heard != nil {
		t.heard(query)
	}
}

// may returns why no statement may run.
func (t *transaction) may() error {
	if t.failed != nil {
		return fmt.Errorf("the transaction has failed already: %w", t.failed)
	}
	if t.single && t.done {
		return t.fail(errSecond)
	}
	t.done = true
	return nil
}

// errSecond is a bug: the second statement could see another state than the first.
var errSecond = errors.New("a second statement in a transaction of one")

func (t *transaction) fail(err error) error {
	t.failed = explain(err)
	return t.failed
}

// rowsOf are rows whose errors end the transaction too.
type rowsOf struct {
	pgx.Rows
	of   *transaction
	last pgx.BatchResults // that are closed with the rows; may be nil
}

// Scan implements driver.Rows.
func (r *rowsOf) Scan(dest ...any) error { return r.Rows.Scan(dest...) }

// Err implements driver.Rows.
func (r *rowsOf) Err() error {
	if err := r.Rows.Err(); err != nil {
		return r.of.fail(err)
	}
	return nil
}

// Close implements driver.Rows.
func (r *rowsOf) Close() error {
	r.Rows.Close()
	err := r.Rows.Err()
	if r.last != nil {
		if closed := r.last.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return r.of.fail(err)
	}
	return nil
}

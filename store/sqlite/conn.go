package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"waybill/store/driver"
)

// conn is one connection with the statements that have been prepared on it. It serves one transaction at a time.
//
// Statements run to their end, even if the context of the caller ends: they are short, and an interrupted one would
// take the transactions of others with it.
type conn struct {
	sql      *sql.Conn
	prepared map[string]*sql.Stmt
	heard    func(query string) // called with each statement; may be nil
}

func newConn(ctx context.Context, db *sql.DB, heard func(string)) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &conn{sql: c, prepared: map[string]*sql.Stmt{}, heard: heard}, nil
}

// prepare returns the statement for a query, prepared when it is first used. Queries are constants, so that there are
// not many.
//
// They say LIMIT $1 + 0: of a bare parameter SQLite looks at the value to plan by it, and plans anew each time it is
// bound.
func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if c.heard != nil {
		c.heard(query)
	}
	if s, ok := c.prepared[query]; ok {
		return s, nil
	}
	s, err := c.sql.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	c.prepared[query] = s
	return s, nil
}

// exec runs a statement without result.
func (c *conn) exec(query string, args ...any) (sql.Result, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// once runs a statement that is not worth keeping, or a script of several.
func (c *conn) once(query string, args ...any) error {
	_, err := c.sql.ExecContext(context.Background(), query, args...)
	return err
}

// scan reads the one row of a statement that is not worth keeping.
func (c *conn) scan(query string, dest ...any) error {
	return c.sql.QueryRowContext(context.Background(), query).Scan(dest...)
}

// close gives up the statements, which would keep the file open, and the connection, if there is one.
func (c *conn) close() error {
	if c == nil {
		return nil
	}
	var errs []error
	for _, s := range c.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.sql.Close())...)
}

// transaction is a caller's part of the work on a connection. It implements driver.Conn.
type transaction struct {
	conn   *conn
	now    time.Time
	steady time.Time
	failed error // of the first statement that failed
	single bool  // it has one statement, and reads
	done   bool  // the statement of a single one has run
}

// Now implements driver.Conn.
func (t *transaction) Now() time.Time { return t.now }

// Steady implements driver.Conn.
func (t *transaction) Steady() time.Time { return t.steady }

// ForUpdate implements driver.Conn: one transaction writes at a time, so that rows need no locks.
func (t *transaction) ForUpdate() string { return "" }

// Exec implements driver.Conn.
func (t *transaction) Exec(query string, args ...any) (int64, error) {
	if t.failed != nil {
		return 0, t.aborted()
	}
	r, err := t.conn.exec(query, args...)
	if err != nil {
		return 0, t.fail(err)
	}
	return r.RowsAffected()
}

// Query implements driver.Conn.
func (t *transaction) Query(query string, args ...any) (driver.Rows, error) {
	if t.failed != nil {
		return nil, t.aborted()
	}
	if t.single && t.done {
		return nil, t.fail(errSecond)
	}
	t.done = true
	s, err := t.conn.prepare(query)
	if err != nil {
		return nil, t.fail(err)
	}
	rows, err := s.Query(args...)
	if err != nil {
		return nil, t.fail(err)
	}
	return &rowsOf{rows, t}, nil
}

// errSecond is a bug: the second statement could see another state than the first.
var errSecond = errors.New("a second statement in a transaction of one")

// Batch implements driver.Conn. There are no round trips to save: the queries run one after the other.
func (t *transaction) Batch(queries ...driver.Query) error {
	for _, q := range queries {
		rows, err := t.Query(q.SQL, q.Args...)
		if err == nil {
			err = driver.ReadAll(rows, q.Read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsOf are rows whose errors end the transaction too: SQLite runs a statement while its rows are read.
type rowsOf struct {
	*sql.Rows
	of *transaction
}

// Err implements driver.Rows.
func (r *rowsOf) Err() error {
	if err := r.Rows.Err(); err != nil {
		return r.of.fail(err)
	}
	return nil
}

func (t *transaction) fail(err error) error {
	err = explain(err)
	t.failed = err
	return err
}

func (t *transaction) aborted() error {
	return fmt.Errorf("the transaction has failed already: %w", t.failed)
}

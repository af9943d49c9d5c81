package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// conn is one connection with the statements that have been prepared on it. It serves one transaction at a time.
//
// Statements run to their end, whatever becomes of the context of whoever asked: they are short, and an interrupted one
// would take the transactions of others with it.
type conn struct {
	sql      *sql.Conn
	prepared map[string]*sql.Stmt
}

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &conn{sql: c, prepared: map[string]*sql.Stmt{}}, nil
}

// prepare returns the statement for a query, prepared when it is first used. Queries are constants, so that there are
// not many.
//
// They say LIMIT $1 + 0: of a bare parameter SQLite looks at the value to plan by it, and plans anew each time it is bound.
func (c *conn) prepare(query string) (*sql.Stmt, error) {
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

// query runs a statement with rows.
func (c *conn) query(query string, args ...any) (*sql.Rows, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
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

package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Tx is a transaction. Its methods belong to the tables of one concern each; those that write need an Update.
type Tx struct {
	// Now is the time of the transaction: UTC, in microseconds.
	Now time.Time

	conn      *conn
	holder    string
	parkAfter int
	read      map[StageKey]stageState // what the rows of stages said when their snapshots were taken
}

func (s *Store) newTx(c *conn) *Tx {
	return &Tx{Now: s.now(), conn: c, holder: s.holder, parkAfter: s.parkAfter}
}

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	r, err := tx.conn.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// one reads a single row into dest, and reports whether there was one.
func (tx *Tx) one(dest []any, query string, args ...any) (bool, error) {
	s, err := tx.conn.prepare(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRow(args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// list reads all rows, each as dest tells where its columns belong.
func list[T any](tx *Tx, dest func(*T) []any, query string, args ...any) ([]T, error) {
	rows, err := tx.conn.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := rows.Scan(dest(&v)...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// batch is how many values an IN list of a statement has.
const batch = 24

// inBatches reads the rows of all values: the query gets an IN list, each time filled up to the same length, so that there
// is one statement to prepare.
func inBatches[T any, V ~string](tx *Tx, dest func(*T) []any, values []V, query string, args ...any) ([]T, error) {
	query += inList(len(args) + 1)
	var all []T
	for part := range slices.Chunk(values, batch) {
		full := slices.Clone(args)
		for i := range batch {
			full = append(full, part[min(i, len(part)-1)])
		}
		rows, err := list(tx, dest, query, full...)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// inList is the list of a batch of parameters, of which it is told the first.
func inList(first int) string {
	var b strings.Builder
	for i := range batch {
		fmt.Fprintf(&b, ", $%d", first+i)
	}
	return " IN (" + b.String()[2:] + ")"
}

// single is the dest of rows with one column.
func single[T any](v *T) []any { return []any{v} }

// take returns the next n numbers of a counter, of which it returns the first.
func (tx *Tx) take(counter string, n int64) (int64, error) {
	var last int64
	found, err := tx.one([]any{&last}, `UPDATE counters SET n = n + $2 WHERE name = $1 RETURNING n`, counter, n)
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", counter, err)
	}
	return last - n + 1, nil
}

// mustChange runs a statement that is to change something; ErrConflict if it does not.
func (tx *Tx) mustChange(what, query string, args ...any) error {
	n, err := tx.exec(query, args...)
	if err == nil && n == 0 {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// orNotFound turns the result of one into an error.
func orNotFound(found bool, err error, what string) error {
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

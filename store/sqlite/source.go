package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"waybill/store/driver"
)

// Source is a file whose rows are moved to another database. For as long as it is open, no server has the file.
type Source struct {
	path string
	lock *fileLock
	db   *sql.DB
}

// OpenSource opens the file at path, which must have been made by the schema. Nothing in it is changed. A file that is
// not there, or in use by a server, is an error of its class.
func OpenSource(ctx context.Context, path string, schema driver.Schema) (_ *Source, err error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	s := &Source{path: path}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open database %s: %w", path, errors.Join(explain(err), s.Close()))
		}
	}()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no such file", driver.ErrNotDatabase)
	}
	if s.lock, err = lockFile(oneName(path) + ".lock"); err != nil {
		return nil, err
	}
	if err := inspect(path); err != nil {
		return nil, err
	}
	if s.db, err = openFile(path, readerPragmas); err != nil {
		return nil, err
	}
	s.db.SetMaxOpenConns(1)
	var made driver.Made
	err = s.db.QueryRowContext(ctx, `SELECT version, digest, oldest FROM schema_version`).Scan(
		&made.Version, &made.Digest, &made.Oldest)
	if err != nil {
		return nil, fmt.Errorf("%w: read its version: %w", driver.ErrNotDatabase, err)
	}
	return s, schema.Exactly(made, "another path")
}

// Close gives the file back.
func (s *Source) Close() error {
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
	}
	return errors.Join(errs...)
}

// State names the contents of the file: each server that opens it makes it another one.
func (s *Source) State(ctx context.Context) (state string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT COALESCE((SELECT holder || ' ' || started_at FROM process), '') || ' ' ||
		COALESCE((SELECT SUM(seq) FROM chains), 0)`).Scan(&state)
	if err != nil {
		return "", s.failed(err)
	}
	return state, nil
}

// Tables returns the tables, each behind those to which its rows refer.
func (s *Source) Tables(ctx context.Context) ([]driver.Table, error) {
	var all []driver.Table
	err := s.each(ctx, `SELECT m.name, (SELECT group_concat(c.name, ',' ORDER BY c.cid) FROM pragma_table_info(m.name) c)
		FROM sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'schema_version'
		ORDER BY m.rowid`, nil, func(row []any) error {
		all = append(all, driver.Table{Name: row[0].(string), Columns: strings.Split(row[1].(string), ",")})
		return nil
	})
	return all, err
}

// Counted returns the last number that a table has given to a row by itself, 0 if it gives none.
func (s *Source) Counted(ctx context.Context, t driver.Table) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = $1), 0)`,
		t.Name).Scan(&n)
	if err != nil {
		return 0, s.failed(err)
	}
	return n, nil
}

// Rows reads up to limit rows of a table behind one of them, 0 for the first, and returns the last of them.
func (s *Source) Rows(
	ctx context.Context, t driver.Table, after int64, limit int,
) (rows [][]any, last int64, err error) {
	last = after
	err = s.each(ctx, `SELECT rowid, `+strings.Join(t.Columns, ", ")+` FROM `+t.Name+` WHERE rowid > $1
		ORDER BY rowid LIMIT $2`, []any{after, limit}, func(row []any) error {
		last = row[0].(int64)
		rows = append(rows, row[1:])
		return nil
	})
	return rows, last, err
}

// each reads rows.
func (s *Source) each(ctx context.Context, query string, args []any, read func(row []any) error) (err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return s.failed(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return s.failed(err)
	}
	for rows.Next() {
		row, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return s.failed(err)
		}
		if err := read(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return s.failed(err)
	}
	return nil
}

func (s *Source) failed(err error) error { return fmt.Errorf("read %s: %w", s.path, explain(err)) }

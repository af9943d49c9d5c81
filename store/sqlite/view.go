package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"waybill/internal/contain"
	"waybill/store/driver"
)

// View implements driver.DB.
func (db *DB) View(ctx context.Context, fn func(driver.Conn) error) error {
	return db.view(ctx, read, fn)
}

// ViewOne implements driver.DB: without a transaction of its own.
func (db *DB) ViewOne(ctx context.Context, fn func(driver.Conn) error) error {
	return db.view(ctx, readOne, fn)
}

// view has fn read on a connection of its own.
func (db *DB) view(
	ctx context.Context, how func(*transaction, func(driver.Conn) error) error, fn func(driver.Conn) error,
) error {
	if err := db.admit(ctx); err != nil {
		return err
	}
	c := db.readers.take()
	defer func() { db.readers.put(c) }()
	if c == nil {
		var err error
		if c, err = newConn(ctx, db.reading, db.heard); err != nil {
			return explain(err)
		}
	}
	return how(db.begin(c), fn)
}

// admit waits until one more may read.
func (db *DB) admit(ctx context.Context) error {
	if err := db.usable(ctx); err != nil {
		return err
	}
	select {
	case <-db.readers.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return driver.ErrClosed
	}
}

// read runs fn between the beginning and the end of a transaction that reads.
func read(t *transaction, fn func(driver.Conn) error) error {
	if _, err := t.conn.exec(`BEGIN`); err != nil {
		return fmt.Errorf("begin to read: %w", explain(err))
	}
	defer t.conn.exec(`ROLLBACK`) //nolint:errcheck // nothing was written
	return contain.Do(func() error { return fn(t) })
}

// readOne runs fn, whose only statement is a transaction by itself.
func readOne(t *transaction, fn func(driver.Conn) error) error {
	t.single = true
	return contain.Do(func() error { return fn(t) })
}

// Read runs fn in a transaction that reads a file which another process may have open, and keeps that process from
// nothing but shrinking its write-ahead log. The file must be there and have been made by the same schema: nothing is
// created.
func Read(ctx context.Context, path string, schema driver.Schema, fn func(driver.Conn) error) error {
	if err := readFile(ctx, path, schema, fn); err != nil {
		return fmt.Errorf("read database %s: %w", path, explain(err))
	}
	return nil
}

func readFile(ctx context.Context, path string, schema driver.Schema, fn func(driver.Conn) error) (err error) {
	if err := checkPath(path); err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file: name the one of the server in WAYBILL_DATABASE_URL")
	}
	db, err := openFile(path, readerPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := newConn(ctx, db, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	made, err := madeBy(c)
	if err != nil {
		return err
	}
	if made == nil {
		return fmt.Errorf("%w: it is empty; start the server once, which makes its tables", driver.ErrNotDatabase)
	}
	if err := schema.Accept(*made, "another path"); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	return read(&transaction{conn: c, now: now, steady: now}, fn)
}

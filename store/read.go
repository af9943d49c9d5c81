package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Read runs fn in a transaction that reads a database which another process may have open, and keeps it from nothing but
// shrinking its write-ahead log meanwhile. The database must be there and have the newest schema: nothing is created or
// migrated.
func Read(ctx context.Context, url string, fn func(tx *Tx) error) error {
	path, err := pathOf(url)
	if err != nil {
		return err
	}
	if err := readFile(ctx, path, fn); err != nil {
		return fmt.Errorf("read database %s: %w", path, explain(err))
	}
	return nil
}

func readFile(ctx context.Context, path string, fn func(tx *Tx) error) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file: name the one of the server in WAYBILL_DATABASE_URL")
	}
	db, err := openSQLite(path, readerPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := newConn(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := current(c); err != nil {
		return err
	}
	return reading(c, openTx(c, time.Now().UTC(), "", 0), fn)
}

// current refuses a database that does not have the newest schema.
func current(c *conn) error {
	all, err := steps(migrations)
	if err != nil {
		return err
	}
	have, err := schemaVersion(c)
	if err != nil {
		return err
	}
	switch newest := len(all); {
	case have > newest:
		return newer(have, newest)
	case have < newest:
		return fmt.Errorf("its schema is version %d and this program reads version %d: start the server of this version once, which migrates it", have, newest)
	}
	return nil
}

// reading runs fn between the beginning and the end of a transaction that reads.
func reading(c *conn, tx *Tx, fn func(tx *Tx) error) error {
	if _, err := c.exec(`BEGIN`); err != nil {
		return fmt.Errorf("begin to read: %w", explain(err))
	}
	defer c.exec(`ROLLBACK`) //nolint:errcheck // nothing was written
	return explain(protect(tx, fn))
}

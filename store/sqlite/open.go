// Package sqlite keeps the ledger in one SQLite file. One goroutine owns the one connection that writes: callers that
// wait while a transaction is committed share the next one, each under a savepoint of its own, and are answered when it
// is durable. A lock beside the file keeps other processes away.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"waybill/store/driver"
)

// DB is an open SQLite file. It implements driver.DB.
type DB struct {
	path   string
	clock  func() time.Time
	steady func() time.Time
	heard  func(query string)

	lock    *fileLock // nil: the file is shared
	writing *sql.DB
	reading *sql.DB
	writer  *writer
	readers *readers

	closing   sync.Once
	closed    chan struct{}
	closeOnce error
}

// Settings of each connection. FULL makes a commit survive a power cut and costs next to nothing once commits are
// grouped; 1000 pages between checkpoints keep both the log and the stalls small. The write-ahead log is switched on
// later, once the file is known to be ours. A log that had to grow during a long read is cut back to 64 MB. SQLite
// keeps its journals of statements and its sorts in memory: our statements are short, files for them are not.
var (
	writerPragmas = []string{"busy_timeout(5000)", "synchronous(FULL)", "foreign_keys(ON)", "wal_autocheckpoint(1000)",
		"journal_size_limit(67108864)", "temp_store(MEMORY)"}
	copierPragmas = []string{"busy_timeout(5000)", "auto_vacuum(INCREMENTAL)"}
	readerPragmas = []string{"busy_timeout(5000)", "query_only(ON)", "temp_store(MEMORY)"}
)

// Options configure a file.
type Options struct {
	// Clock tells the time.
	Clock func() time.Time
	// Steady tells the time by a clock that is never set. Those who share a file have the same.
	Steady func() time.Time
	// Shared lets other processes write to the file too, which costs each of them time: SQLite has one lock for all.
	Shared bool
	// Heard, if set, is called with each statement that runs, the limits of transactions included. Readers call it side by
	// side.
	Heard func(query string)
	// Copied, if set, is called with the name of the copy that was made of a file of an earlier version, once its
	// tables are changed.
	Copied func(file string)
}

// Open opens the file at path, and creates it with the tables of a schema if there is none. One of an earlier version
// is copied and then upgraded.
//
// A file that cannot be used is left as it is: one with another schema, of another program, damaged, read-only or in
// use by another process is an error of its class that names the remedy.
func Open(ctx context.Context, path string, schema driver.Schema, o Options) (_ *DB, err error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	db := &DB{
		path: path, clock: o.Clock, steady: o.Steady, heard: o.Heard, readers: newReaders(), closed: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			db.release() //nolint:errcheck // the first error is the one to report
			err = fmt.Errorf("open database %s: %w", path, explain(err))
		}
	}()
	if !o.Shared {
		if db.lock, err = lockFile(oneName(path) + ".lock"); err != nil {
			return nil, err
		}
	}
	if err = inspect(path); err != nil {
		return nil, err
	}
	if err = db.connect(ctx); err != nil {
		return nil, err
	}
	if err = db.prepare(ctx, schema, o.Copied); err != nil {
		return nil, err
	}
	go db.writer.run(db)
	return db, nil
}

// checkPath refuses a path that SQLite would read parameters from.
func checkPath(path string) error {
	if path == "" || strings.ContainsAny(path, "?#") {
		return errors.New("open database: the URL must be sqlite:// and the path of a file, without parameters")
	}
	return nil
}

// connect opens the connection that writes. Those that read are opened when they are needed.
func (db *DB) connect(ctx context.Context) (err error) {
	if db.writing, err = openFile(db.path, writerPragmas); err != nil {
		return err
	}
	if db.reading, err = openFile(db.path, readerPragmas); err != nil {
		return err
	}
	c, err := newConn(ctx, db.writing, db.heard)
	if err != nil {
		return err
	}
	db.writer = newWriter(c)
	return nil
}

// openFile opens an existing database file.
func openFile(path string, pragmas []string) (*sql.DB, error) {
	name := "file:" + url.PathEscape(path) + "?" + url.Values{"mode": {"rw"}, "_pragma": pragmas}.Encode()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return db, nil
}

// now is the time that a transaction carries.
func (db *DB) now() time.Time { return db.clock().UTC().Truncate(time.Microsecond) }

// begin is a transaction that begins now.
func (db *DB) begin(c *conn) *transaction {
	return &transaction{conn: c, now: db.now(), steady: db.steady().UTC().Truncate(time.Microsecond)}
}

// Alone implements driver.DB: the lock keeps other processes away.
func (db *DB) Alone() bool { return db.lock != nil }

// Ended implements driver.DB: the lock is dropped when its process ends, and no sooner.
func (db *DB) Ended() bool { return db.Alone() }

// Lost implements driver.DB: the lock is never lost.
func (db *DB) Lost() <-chan struct{} { return nil }

// Close implements driver.DB.
func (db *DB) Close() error {
	db.closing.Do(func() {
		close(db.closed)
		<-db.writer.stopped
		db.closeOnce = db.release()
	})
	return db.closeOnce
}

// release closes all open connections, once the last reader is done. The last connection to close moves everything from
// the write-ahead log to the file.
func (db *DB) release() error {
	var errs []error
	if db.writer != nil {
		errs = append(errs, db.readers.close(), db.writer.conn.close())
	}
	for _, open := range []*sql.DB{db.reading, db.writing} {
		if open != nil {
			errs = append(errs, open.Close())
		}
	}
	if db.lock != nil {
		errs = append(errs, db.lock.release())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close database %s: %w", db.path, err)
	}
	return nil
}

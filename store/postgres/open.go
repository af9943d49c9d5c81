// Package postgres keeps the ledger on a PostgreSQL server. One session writes, and for as long as it lives it holds an
// advisory lock: a process that has lost the lock has lost the session too, and with it the only way to write. Several
// servers share the lock, and their transactions take turns. Sessions of a small pool read.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"waybill/store/driver"
)

// DB is an open database. It implements driver.DB.
type DB struct {
	place  string
	clock  func() time.Time
	steady func() time.Time
	heard  func(query string)
	shared bool
	ended  bool
	server *serverClock // nil: steady is that of the options

	writer  *writer
	readers *pgxpool.Pool

	closing sync.Once
	closed  chan struct{}
}

// Options configure a database.
type Options struct {
	// Clock tells the time.
	Clock func() time.Time
	// Steady tells the time by a clock that is never set; nil: the clock of the server when the database is opened, and
	// from then on the time that Clock says has passed. With Shared, each transaction that writes reads it again.
	Steady func() time.Time
	// Shared lets other processes that say the same write to the database too, one transaction at a time.
	Shared bool
	// Ended says that every earlier process has certainly ended, which the server cannot know.
	Ended bool
	// Heard, if set, is called with each statement that runs, the limits of transactions included. Several goroutines call
	// it.
	Heard func(query string)
}

// Open opens the database that a URL names, and creates the tables of a schema if it has none.
//
// A database that cannot be used is left as it is: one with another schema, of another program, on a server that is too
// old, without the right to write, or in use by another process is an error of its class that names the remedy. No
// error has the password.
func Open(ctx context.Context, url string, schema driver.Schema, o Options) (_ *DB, err error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	db := &DB{
		place: placeOf(config.ConnConfig), clock: o.Clock, steady: o.Steady, heard: o.Heard, shared: o.Shared,
		ended: o.Ended, closed: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			db.release()
			err = fmt.Errorf("open database %s: %w", db.place, explain(err))
		}
	}()
	db.writer = newWriter(db, config.ConnConfig.Copy())
	if err := db.writer.open(ctx, schema); err != nil {
		return nil, err
	}
	readOnly(config)
	if db.readers, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, err
	}
	db.writer.stopped = make(chan struct{})
	go db.writer.watch()
	return db, nil
}

// preparation is that of a session that writes.
func (db *DB) preparation() preparation {
	if db.shared {
		return prepareShared
	}
	return prepareSession
}

// lock is the statement that takes the lock of the database.
func (db *DB) lock() string {
	if db.shared {
		return shareSession
	}
	return lockSession
}

// now is the time that a transaction carries.
func (db *DB) now() time.Time { return db.clock().UTC().Truncate(time.Microsecond) }

// steadyNow is the time by the clock that is never set.
func (db *DB) steadyNow() time.Time { return db.steady().UTC().Truncate(time.Microsecond) }

// Steady tells the time by which leases run out.
func (db *DB) Steady() time.Time { return db.steady() }

// Alone implements driver.DB: the lock keeps other processes away.
func (db *DB) Alone() bool { return !db.shared }

// Ended implements driver.DB: the process before may have lost its session, and still be waiting for GitHub.
func (db *DB) Ended() bool { return db.ended }

// Lost implements driver.DB.
func (db *DB) Lost() <-chan struct{} { return db.writer.lost }

// Shrink implements driver.DB: the server does so by itself (autovacuum).
func (db *DB) Shrink(ctx context.Context) (shrunk bool, err error) { return false, db.usable(ctx) }

// Size implements driver.DB: the tables with their indexes.
func (db *DB) Size(ctx context.Context) (size int64, err error) {
	err = db.ViewOne(ctx, func(c driver.Conn) error {
		rows, err := c.Query(`SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
			WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`)
		if err != nil {
			return err
		}
		return driver.ReadAll(rows, func(r driver.Rows) error {
			if !r.Next() {
				return r.Err()
			}
			return r.Scan(&size)
		})
	})
	if err != nil {
		return 0, fmt.Errorf("measure the database: %w", err)
	}
	return size, nil
}

// usable returns why no transaction can begin, if that is known already.
func (db *DB) usable(ctx context.Context) error {
	select {
	case <-db.closed:
		return driver.ErrClosed
	case <-db.writer.lost:
		return errTakenOver
	default:
		return ctx.Err()
	}
}

// errTakenOver ends a process: what it remembers of the database is no longer true.
var errTakenOver = fmt.Errorf("%w: it took the database over while this one had no connection: "+
	"this one must stop; run one server for each database", driver.ErrInUse)

// Close implements driver.DB.
func (db *DB) Close() error {
	var err error
	db.closing.Do(func() {
		close(db.closed)
		err = db.release()
	})
	return err
}

// release ends all sessions, once the last transaction is done.
func (db *DB) release() error {
	if db.readers != nil {
		db.readers.Close()
	}
	if db.writer == nil {
		return nil
	}
	if err := db.writer.close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close database %s: %w", db.place, err)
	}
	return nil
}

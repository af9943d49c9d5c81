// Package driver is the line between the ledger and the database that keeps it. A driver knows how its database is
// opened, locked, written, read, copied and made smaller, and what its errors mean. It knows nothing of promotions: every
// statement stands in package store, once, in SQL that SQLite and PostgreSQL both accept.
//
// That SQL has numbered parameters, ON CONFLICT, RETURNING and partial unique indexes. Ids come from Go, times are
// microseconds since 1970, lists are JSON text.
package driver

import (
	"context"
	"errors"
	"time"
)

// DB is an open database. Its methods may be called from any goroutine.
type DB interface {
	// Update runs fn in a transaction that writes, and returns when what it wrote is durable. An error or a panic of fn
	// undoes what fn wrote; a panic is returned as an error. fn sees one state. It may run again if the transaction could
	// not be carried out with those of others, so it changes nothing outside but variables that it sets anew each time.
	// It runs on the goroutine of its caller, and must not wait for anything, least of all for another transaction.
	//
	// The context is heeded until the transaction begins.
	Update(ctx context.Context, fn func(Conn) error) error
	// UpdateOne is Update for an fn that runs one statement, which a database may carry out with less effort.
	UpdateOne(ctx context.Context, fn func(Conn) error) error
	// View runs fn in a transaction that reads. All its queries see one state, and it keeps no other from writing.
	View(ctx context.Context, fn func(Conn) error) error
	// Alone reports whether no other process can have the database open: claims of an earlier process are then void.
	Alone() bool
	// Shrink gives unused space back to the file system, in a short transaction, if there is enough of it to be worth it.
	// It reports whether it did: then there may be more.
	Shrink(ctx context.Context) (shrunk bool, err error)
	// Close waits for transactions that have begun. Later calls return ErrClosed.
	Close() error
}

// Conn is a transaction. After a statement has failed, all later ones fail, and the transaction is undone.
type Conn interface {
	// Now is the time of the transaction by the clock that leases and due times are compared with: UTC, in microseconds.
	Now() time.Time
	// ForUpdate is what a SELECT ends with that locks its rows until the transaction ends; empty where one transaction
	// writes at a time.
	ForUpdate() string
	// Exec runs a statement and returns how many rows it changed.
	Exec(query string, args ...any) (int64, error)
	// Query runs a statement with rows. The caller closes them before the next statement.
	Query(query string, args ...any) (Rows, error)
}

// Rows are the rows of a query, as database/sql has them.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Schema is what a database has to contain.
type Schema struct {
	Text    string // creates all tables
	Version int64
	Digest  string // of Text
}

// The classes of errors that a caller can act upon. A driver wraps them into its own errors, with the remedy.
var (
	// ErrClosed is returned by a database that has been closed.
	ErrClosed = errors.New("the database is closed")
	// ErrDuplicate says that a row with the same key is there already.
	ErrDuplicate = errors.New("a row with this key is there already")
	// ErrDiskFull says that there was no space left for a transaction. Nothing of it has been written.
	ErrDiskFull = errors.New("no space left on the disk")
	// ErrInUse says that another process has the database open.
	ErrInUse = errors.New("in use by another process")
	// ErrReadOnly says that the file or its directory cannot be written to.
	ErrReadOnly = errors.New("cannot be written to")
	// ErrNotDatabase says that a file is no database, or not one of Waybill's.
	ErrNotDatabase = errors.New("not a Waybill database")
	// ErrDamaged says that the database file is damaged.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNewer says that a database was written by a newer version of Waybill.
	ErrNewer = errors.New("written by a newer version")
	// ErrOlder says that a database was written by a version whose schema this one does not read.
	ErrOlder = errors.New("written by an older version")
)

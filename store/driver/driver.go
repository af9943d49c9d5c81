// Package driver is the line between the ledger and the database that keeps it. A driver knows how its database is
// opened, locked, written, read, copied and made smaller, and the meaning of its errors. It knows nothing of
// promotions: every statement stands in package store, once, in SQL that SQLite and PostgreSQL both accept.
//
// That SQL has numbered parameters, ON CONFLICT, RETURNING and partial unique indexes. Ids come from Go, times are
// microseconds since 1970, lists are JSON text.
package driver

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DB is an open database. Its methods may be called from any goroutine.
type DB interface {
	// Update runs fn in a transaction that writes, and returns when its writes are durable. An error or a panic of fn
	// undoes its writes; a panic is returned as an error. fn sees one state. It may run again if the transaction could not
	// be carried out with those of others, so it changes nothing outside but variables that it sets anew each time. It
	// runs on the goroutine of its caller, and must not wait for anything, least of all for another transaction.
	//
	// The context is heeded until the transaction begins.
	Update(ctx context.Context, fn func(Conn) error) error
	// UpdateOne is Update for an fn that runs one statement, which a database may carry out with less effort.
	UpdateOne(ctx context.Context, fn func(Conn) error) error
	// View runs fn in a transaction that reads. All its queries see one state, and it keeps no other from writing.
	View(ctx context.Context, fn func(Conn) error) error
	// ViewOne is View for an fn that runs one statement, which a database may carry out with less effort.
	ViewOne(ctx context.Context, fn func(Conn) error) error
	// Alone reports whether no other process can write to the database while this one has it open.
	Alone() bool
	// Ended reports whether every earlier process has certainly ended, and all that it did with it: its claims are void.
	// Elsewhere they run out, because a process may have lost the database and not yet know.
	Ended() bool
	// Lost is closed when the database was taken over by another process: this one can do nothing more with it. It is nil
	// where that cannot happen.
	Lost() <-chan struct{}
	// Shrink gives unused space back to the file system, in a short transaction, if there is enough of it to be worth it.
	// It reports whether it did: then there may be more.
	Shrink(ctx context.Context) (shrunk bool, err error)
	// Size returns how many bytes the database takes up.
	Size(ctx context.Context) (int64, error)
	// Close waits for transactions that have begun. Later calls return ErrClosed.
	Close() error
}

// Conn is a transaction. After a statement has failed, all later ones fail, and the transaction is undone.
type Conn interface {
	// Now is the time of the transaction by the clock that due times are compared with: UTC, in microseconds.
	Now() time.Time
	// Steady is the time of the transaction by a clock that is never set, by which leases run out. It goes on while the
	// process stands still. Where Alone is false, all processes have the same.
	Steady() time.Time
	// ForUpdate is the end of a SELECT that locks its rows until the transaction ends; empty where one transaction writes
	// at a time.
	ForUpdate() string
	// Exec runs a statement and returns how many rows it changed.
	Exec(query string, args ...any) (int64, error)
	// Query runs a statement with rows. The caller closes them before the next statement.
	Query(query string, args ...any) (Rows, error)
	// Batch sends queries together and has them read their rows, one query after the other: a single round trip where the
	// database is a server. Each is a SELECT that needs no rows of another; its reader must not use the Conn. The first
	// error, of a query or of its reader, ends the batch and is returned. Variables that earlier readers have set may
	// stay.
	Batch(queries ...Query) error
}

// Query is a query of a batch.
type Query struct {
	SQL  string
	Args []any
	Read func(Rows) error // reads as many rows as it needs, and leaves them open
}

// Rows are the rows of a query, as database/sql has them.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// ReadAll has read take rows, and closes them. It returns the first error that there was.
func ReadAll(rows Rows, read func(Rows) error) error {
	err := read(rows)
	if ended := rows.Err(); err == nil {
		err = ended
	}
	if ended := rows.Close(); err == nil {
		err = ended
	}
	return err
}

// Schema is the schema that a database must have.
type Schema struct {
	Text    string // creates all tables, in the words of PostgreSQL
	OnCopy  string // the statement that tells a copy that it is one
	Version int64
	Digest  string // of Text
}

// Accept refuses a database that another schema made. The remedy ends with where a new database may be made.
func (s Schema) Accept(version int64, digest, elsewhere string) error {
	switch {
	case version > s.Version:
		return fmt.Errorf("%w: its schema is version %d and this program knows version %d: "+
			"run the newer Waybill, or restore a backup from before it", ErrNewer, version, s.Version)
	case version < s.Version || digest != s.Digest:
		return fmt.Errorf("%w: its schema is another than that of this program: nothing was changed; "+
			"run the Waybill that made it, or choose %s for a new database", ErrOlder, elsewhere)
	}
	return nil
}

// Sequence is how the text of a schema declares a primary key that the database counts by itself. It gives no number
// twice. A driver of a database that says this otherwise puts its own words in its place.
const Sequence = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"

// The classes of errors that a caller can act upon. A driver wraps them into its own errors, with the remedy.
var (
	// ErrClosed is returned by a database that has been closed.
	ErrClosed = errors.New("the database is closed")
	// ErrDuplicate says that a row with the same key is there already.
	ErrDuplicate = errors.New("a row with this key is there already")
	// ErrDiskFull says that there was no space left for a transaction. Nothing of it has been written.
	ErrDiskFull = errors.New("no space left on the disk")
	// ErrDisk says that the disk did not read or write.
	ErrDisk = errors.New("the disk does not work")
	// ErrInUse says that another process has the database open.
	ErrInUse = errors.New("in use by another process")
	// ErrReadOnly says that the file or its directory cannot be written to.
	ErrReadOnly = errors.New("cannot be written to")
	// ErrNotDatabase says that a file is no database, or not one of Waybill's.
	ErrNotDatabase = errors.New("not a Waybill database")
	// ErrDamaged says that the database file is damaged.
	ErrDamaged = errors.New("the file is damaged")
	// ErrUnreachable says that the server of the database did not answer, or ended the connection. Nothing of the
	// transaction has been written.
	ErrUnreachable = errors.New("cannot be reached")
	// ErrUncertain says that the connection was lost while a transaction was being committed: it may have been written.
	ErrUncertain = errors.New("it is not known whether the transaction was written")
	// ErrUnsuitable says that a server cannot keep the database as it is set up.
	ErrUnsuitable = errors.New("the server is not suitable")
	// ErrNewer says that a database was written by a newer version of Waybill.
	ErrNewer = errors.New("written by a newer version")
	// ErrOlder says that a database was written by a version whose schema this one does not read.
	ErrOlder = errors.New("written by an older version")
)

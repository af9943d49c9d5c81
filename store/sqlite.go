package store

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What every connection is told. FULL makes a commit survive a power cut and costs next to nothing once commits are
// grouped; 1000 pages between checkpoints keep both the log and the stalls small. The write-ahead log is switched on
// later, once the file is known to be ours. A log that had to grow while somebody was reading is cut back to 64 MB. What
// a statement needs to undo itself or to sort is kept in memory: our statements are short, files for it are not.
var (
	writerPragmas = []string{"busy_timeout(5000)", "synchronous(FULL)", "foreign_keys(ON)", "wal_autocheckpoint(1000)",
		"journal_size_limit(67108864)", "temp_store(MEMORY)"}
	copierPragmas = []string{"busy_timeout(5000)", "auto_vacuum(INCREMENTAL)"}
	readerPragmas = []string{"busy_timeout(5000)", "query_only(ON)", "temp_store(MEMORY)"}
)

// openSQLite opens an existing database file.
func openSQLite(path string, pragmas []string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(path)+"?"+url.Values{"mode": {"rw"}, "_pragma": pragmas}.Encode())
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return db, nil
}

// explain gives the errors of SQLite that a person can do something about their class and their remedy.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: make room and try again: %w", ErrDiskFull, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: give this user write permission on the file and its directory: %w", ErrReadOnly, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: nothing was changed; choose another path: %w", ErrNotDatabase, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: nothing was changed; restore a backup: %w", ErrDamaged, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: stop it first: %w", ErrInUse, err)
	}
	return err
}

// isConstraint reports whether a statement failed because it would have broken a rule of the schema. It has changed nothing
// then, and the transaction goes on.
func isConstraint(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_CONSTRAINT
}

// isUnique reports whether a statement failed because a row with the same key exists.
func isUnique(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) &&
		(e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

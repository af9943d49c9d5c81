package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waybill/store/driver"
)

// explain gives an error of SQLite its class, and the remedy if a person can do something about it.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", driver.ErrDuplicate, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: make room and try again: %w", driver.ErrDiskFull, err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%w: look into the system's log: %w", driver.ErrDisk, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: give this user write permission on the file and its directory: %w", driver.ErrReadOnly, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: nothing was changed; choose another path: %w", driver.ErrNotDatabase, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: nothing was changed; restore a backup: %w", driver.ErrDamaged, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: stop it first: %w", driver.ErrInUse, err)
	}
	return err
}

// isConstraint reports whether a statement failed because it would have broken a rule of the schema. SQLite undoes such
// a statement, and nothing else.
func isConstraint(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_CONSTRAINT
}

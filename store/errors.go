package store

import "errors"

var (
	// ErrClosed is returned by a store that has been closed.
	ErrClosed = errors.New("the database is closed")
	// ErrConflict says that somebody else has changed what a change was based on: read again and decide again.
	ErrConflict = errors.New("changed by somebody else meanwhile")
	// ErrNotFound says that there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrDifferentPayload says that a delivery came again under the same GUID with another body.
	ErrDifferentPayload = errors.New("a delivery with this GUID came before with another body")
	// ErrUnknownStage says that a pipeline has no such stage, or no longer.
	ErrUnknownStage = errors.New("no such stage")
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
)

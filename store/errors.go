package store

import (
	"errors"

	"waybill/store/driver"
)

var (
	// ErrConflict says that another transaction has changed what a change was based on: read again and decide again.
	ErrConflict = errors.New("changed by another transaction meanwhile")
	// ErrNotFound says that there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrDifferentPayload says that a delivery came again under the same GUID with another body.
	ErrDifferentPayload = errors.New("a delivery with this GUID came before with another body")
	// ErrUnknownStage says that a pipeline has no such stage, or no longer.
	ErrUnknownStage = errors.New("no such stage")
)

// The errors of the database that a caller can act upon.
var (
	ErrClosed      = driver.ErrClosed
	ErrDiskFull    = driver.ErrDiskFull
	ErrInUse       = driver.ErrInUse
	ErrReadOnly    = driver.ErrReadOnly
	ErrNotDatabase = driver.ErrNotDatabase
	ErrDamaged     = driver.ErrDamaged
	ErrNewer       = driver.ErrNewer
	ErrOlder       = driver.ErrOlder
)

package store

import "errors"

var (
	// ErrConflict says that another transaction has changed the basis of a change: read again and decide again.
	ErrConflict = errors.New("changed by another transaction meanwhile")
	// ErrNotFound says that there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrDifferentPayload says that a delivery came again under the same GUID with another body.
	ErrDifferentPayload = errors.New("a delivery with this GUID came before with another body")
	// ErrUnknownStage says that a pipeline has no such stage, or no longer.
	ErrUnknownStage = errors.New("no such stage")
)

package keypath

import "fmt"

// Assignment says that the value at Path becomes Value. Value is always text: where the file would read it as a number,
// a truth value or nothing, it is written in quotes, unless what it replaces was of that kind already.
type Assignment struct {
	Path  string // as Parse reads it, or as another notation names a value
	Value string
}

// Error is an assignment that could not be made.
type Error struct {
	Path   string
	Reason string
}

// Error returns the path and the reason in one line.
func (e *Error) Error() string { return fmt.Sprintf("set %s: %s", e.Path, e.Reason) }

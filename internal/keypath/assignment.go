package keypath

import "fmt"

// Assignment sets the value at Path to Value. Value is always text: if the file format would read it as a number, a
// boolean or null, it is written in quotes, unless the old value was of the same type.
type Assignment struct {
	Path  string // in the notation of Parse, or a name in another notation
	Value string
}

// Error is an assignment that could not be made.
type Error struct {
	Path   string
	Reason string
}

// Error returns the path and the reason in one line.
func (e *Error) Error() string { return fmt.Sprintf("set %s: %s", e.Path, e.Reason) }

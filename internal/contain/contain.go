// Package contain confines a panic to the operation in which it happened.
package contain

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panic is a recovered panic, as an error. It is a bug of this program: a retry does not help.
type Panic struct {
	// Text is the panic's message, without any input from outside.
	Text string
	// Stack is the stack trace, with functions, files and lines.
	Stack []byte
}

// Error returns the panic's message.
func (p *Panic) Error() string { return "panic: " + p.Text }

// Do calls fn and returns a panic in it as an error.
func Do(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Caught(r)
		}
	}()
	return fn()
}

// Caught returns a recovered panic as an error. Call it in the deferred function that called recover.
func Caught(r any) *Panic { return &Panic{Text: describe(r), Stack: debug.Stack()} }

// describe returns the message of a panic if it comes from the runtime or this program. Any other value may contain
// input from outside, so describe returns its type instead.
func describe(value any) string {
	switch value := value.(type) {
	case runtime.Error:
		return value.Error()
	case string:
		return value
	}
	return fmt.Sprintf("a value of type %T", value)
}

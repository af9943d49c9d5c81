// Package contain keeps a panic to the thing it happened in.
package contain

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panic is a panic that was contained, as an error. It is a bug of ours: trying again does not help.
type Panic struct {
	// Text is what went wrong, without anything that came from outside.
	Text string
	// Stack is where, as a debugger would show it: functions, files and lines.
	Stack []byte
}

// Error tells what went wrong.
func (p *Panic) Error() string { return "panic: " + p.Text }

// Do runs fn and returns a panic in it as an error.
func Do(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Caught(r)
		}
	}()
	return fn()
}

// Caught returns what was recovered from a panic as an error. It is called where recover was.
func Caught(r any) *Panic { return &Panic{Text: describe(r), Stack: debug.Stack()} }

// describe returns what a panic says, if that is the runtime's word or one of the program's own: any other value may
// carry what somebody sent us, and is called by its type.
func describe(value any) string {
	switch value := value.(type) {
	case runtime.Error:
		return value.Error()
	case string:
		return value
	}
	return fmt.Sprintf("a value of type %T", value)
}

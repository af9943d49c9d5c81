package handlers

import (
	"errors"
	"sync/atomic"
)

const (
	// maxHeld is how much of the bodies of webhooks is held in memory at once: two of the largest and a great many usual
	// ones, which have about 20 KB. A body that does not fit is refused before it is read on.
	maxHeld = 64 << 20
	// maxAtOnce is how many webhooks are taken in at once.
	maxAtOnce = 256
)

// errNoRoom says that there are too many webhooks at once. GitHub keeps the refused ones, and the sweep finds them.
var errNoRoom = errors.New("too many webhooks at once")

// room is the memory that the bodies that are being read may take up together. It is charged for bytes that have come,
// not for those that a request announces: a slow or lying sender holds no more than it has sent.
type room struct {
	held   atomic.Int64
	within atomic.Int64
}

// enter lets a request in, unless there are too many.
func (r *room) enter() bool {
	if r.within.Add(1) <= maxAtOnce {
		return true
	}
	r.leave(0)
	return false
}

// take makes room for n bytes more, if there is.
func (r *room) take(n int64) bool {
	if r.held.Add(n) <= maxHeld {
		return true
	}
	r.held.Add(-n)
	return false
}

// leave gives back everything that a request has taken.
func (r *room) leave(taken int64) {
	r.held.Add(-taken)
	r.within.Add(-1)
}

package handlers

import (
	"container/list"
	"errors"
	"sync"
)

const (
	// maxHeld is how much of the bodies of requests is held in memory at once: two of GitHub's largest and a great many
	// usual ones, which have about 20 KB.
	maxHeld = 64 << 20
	// maxAtOnce is how many requests whose bodies have come are taken in at once.
	maxAtOnce = 256
)

// errNoRoom says that there are too many requests at once. GitHub keeps the refused ones, and the sweep finds them.
var errNoRoom = errors.New("too many webhooks at once")

// room is the memory that the bodies of requests may take up together. A body is charged for what has come of it, not
// for what its request announces: a slow or lying sender holds no more than it has sent. Where there is no more, the
// body ends that has been coming for the longest, so that senders who begin a body and do not end it keep nobody
// waiting: one that comes at once goes through.
type room struct {
	mu       sync.Mutex
	held     int64
	within   int
	arriving list.List // of *arrival: the longest first
}

// arrival is a body that comes or has come.
type arrival struct {
	room  *room
	taken int64
	place *list.Element // among those that are coming; nil: it has come, or was ended
	ended bool          // others needed its room
	stop  func()        // ends the reading; it may be called while the body is read
}

// enter lets a request in whose body has come, unless there are too many.
func (r *room) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.within == maxAtOnce {
		return false
	}
	r.within++
	return true
}

func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.within--
}

// begin begins to receive a body.
func (r *room) begin(stop func()) *arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &arrival{room: r, stop: stop}
	a.place = r.arriving.PushBack(a)
	return a
}

// take makes room for n bytes more, if there is, or if others that are coming can be ended.
func (a *arrival) take(n int64) bool {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if a.ended {
		return false
	}
	for e := a.room.arriving.Front(); a.room.held+n > maxHeld && e != nil; {
		other := e.Value.(*arrival)
		e = e.Next()
		if other == a {
			continue
		}
		a.room.arriving.Remove(other.place)
		a.room.held -= other.taken
		other.place, other.taken, other.ended = nil, 0, true
		other.stop()
	}
	if a.room.held+n > maxHeld {
		return false
	}
	a.room.held += n
	a.taken += n
	return true
}

// came notes that the body comes no more, and reports whether it was let come.
func (a *arrival) came() bool {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if a.place != nil {
		a.room.arriving.Remove(a.place)
		a.place = nil
	}
	return !a.ended
}

// leave gives back everything that a body has taken. It has come, or will not.
func (a *arrival) leave() {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	a.room.held -= a.taken
	a.taken = 0
}

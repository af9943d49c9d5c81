package gh

import (
	"context"
	"slices"
	"sync"
)

// slots bound how many requests of an installation are on their way at a time. A share of them, such as the requests
// about one repository, never has more than are left to the others, so that a repository that is answered slowly, or
// never, keeps no other waiting.
type slots struct {
	mu      sync.Mutex
	most    int
	taken   int
	of      map[string]int // by share
	waiting []waiter       // in the order in which they came
}

// waiter waits for a slot.
type waiter struct {
	share string
	turn  chan struct{} // is closed when it has one
}

func newSlots(most int) *slots { return &slots{most: most, of: map[string]int{}} }

// enter waits for a slot of a share, and returns how to give it back.
func (s *slots) enter(ctx context.Context, share string) (leave func(), err error) {
	w := waiter{share, make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.admit()
	s.mu.Unlock()
	leave = func() { s.leave(share) }
	select {
	case <-w.turn:
		return leave, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return nil, ctx.Err()
	}
	return leave, nil // its turn came meanwhile
}

func (s *slots) leave(share string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.of[share]--; s.of[share] == 0 {
		delete(s.of, share)
	}
	s.admit()
}

// admit gives slots to those whose turn it is. One whose share has all that it may have waits, and those behind it go
// ahead.
func (s *slots) admit() {
	s.waiting = slices.DeleteFunc(s.waiting, func(w waiter) bool {
		if s.taken+s.of[w.share] >= s.most {
			return false
		}
		s.taken++
		s.of[w.share]++
		close(w.turn)
		return true
	})
}

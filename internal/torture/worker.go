package torture

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"waybill/internal/torture/ledger"
	"waybill/promotion"
)

// worker does the steps of one worker, one at a time. It stops before and after each request to GitHub and waits for
// its turn.
type worker struct {
	name  string
	of    context.Context // ends when its process dies
	step  func(ctx context.Context) (did bool, next time.Time, err error)
	busy  bool
	sight ledger.Sight // the state that its step could see when it began
	asks  bool         // its step has come to a request
	// told says of the promotions that were to be merged when its step came to its first request why they may not be, as
	// the program tells people. Nobody else has done anything since the step claimed its work.
	told  map[int64]string
	awake bool // there may be work
	wake  <-chan struct{}
	next  time.Time // the time at which it looks for work again, by the program's clock; zero: only when it is woken
	out   chan outcome

	mu sync.Mutex
	at []*stop // the requests at which it waits for its turn; none while it runs or waits otherwise
}

// outcome is the result of a step.
type outcome struct {
	did  bool
	next time.Time
	err  error
}

// stop is a request at which a worker waits for its turn.
type stop struct {
	what     string
	request  *http.Request
	answered bool
	late     bool      // it is the neighbour's
	ready    time.Time // the answer is not there before
	turn     chan struct{}
}

// key orders requests that are made side by side, so that a seed always tells the same.
func (s *stop) key() string { return fmt.Sprint(s.what, s.answered, s.late) }

// waits reports whether the answer to the request is not there yet.
func (s *stop) waits() bool { return s.ready.After(time.Now()) && !s.expired() }

// due returns when the request goes on by itself: when its answer is there, or its time is over; zero: never.
func (s *stop) due() time.Time {
	deadline, _ := s.request.Context().Deadline()
	if s.waits() {
		return promotion.Sooner(deadline, s.ready)
	}
	return deadline
}

// expired reports whether the context of the request has ended.
func (s *stop) expired() bool { return s.request.Context().Err() != nil }

// stop waits for the worker's turn. It returns an error if the context of the request has ended by then. A step makes
// several requests side by side only for several installations.
func (h *worker) stop(at *stop) error {
	h.mu.Lock()
	h.at = append(h.at, at)
	slices.SortStableFunc(h.at, func(a, b *stop) int { return strings.Compare(a.key(), b.key()) })
	h.mu.Unlock()
	<-at.turn
	return at.request.Context().Err()
}

// release lets a worker go on with a request.
func (h *worker) release(at *stop) {
	h.at = slices.DeleteFunc(h.at, func(one *stop) bool { return one == at })
	close(at.turn)
}

// waiting returns a request to which there is no answer yet; nil if there is none.
func (h *worker) waiting() *stop {
	for _, at := range h.at {
		if at.waits() {
			return at
		}
	}
	return nil
}

// isToken reports whether a request asks for a token. Its sender holds a lock that other workers wait for.
func isToken(r *http.Request) bool {
	const end = "/access_tokens"
	p := r.URL.Path
	return len(p) > len(end) && p[len(p)-len(end):] == end
}

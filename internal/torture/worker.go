package torture

import (
	"context"
	"net/http"
	"time"

	"waybill/internal/torture/ledger"
)

// worker does the steps of one worker, one at a time. It stops before and after each request to GitHub and waits for
// its turn.
type worker struct {
	name  string
	step  func(ctx context.Context) (did bool, next time.Time, err error)
	busy  bool
	sight ledger.Sight // the state that its step could see when it began
	awake bool         // there may be work
	wake  <-chan struct{}
	next  time.Time // the time at which it looks for work again, by the program's clock; zero: only when it is woken
	out   chan outcome
	at    *stop // the request at which it waits for its turn; nil while it runs or waits otherwise
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
	turn     chan struct{}
}

// expired reports whether the context of the request has ended.
func (s *stop) expired() bool { return s.request.Context().Err() != nil }

// stop waits for the worker's turn. It returns an error if the context of the request has ended by then.
func (h *worker) stop(at *stop) error {
	h.at = at
	<-at.turn
	return at.request.Context().Err()
}

// release lets a worker go on.
func (h *worker) release() {
	at := h.at
	h.at = nil
	close(at.turn)
}

// isToken reports whether a request asks for a token. Its sender holds a lock that other workers wait for.
func isToken(r *http.Request) bool {
	const end = "/access_tokens"
	p := r.URL.Path
	return len(p) > len(end) && p[len(p)-len(end):] == end
}

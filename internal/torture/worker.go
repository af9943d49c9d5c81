package torture

import (
	"context"
	"net/http"
	"time"

	"waybill/internal/torture/ledger"
)

// worker does the steps of one worker, one at a time. Before and after each request to GitHub it stops and waits for
// its turn.
type worker struct {
	name  string
	step  func(ctx context.Context) (did bool, next time.Time, err error)
	busy  bool
	sight ledger.Sight // what its step could know when it began
	awake bool         // there may be something to do
	wake  <-chan struct{}
	next  time.Time // otherwise it looks again then, by the program's clock; zero: when it is woken
	out   chan outcome
	at    *stop // where it waits for its turn; nil while it does something, or waits for something else
}

// outcome is how a step ended.
type outcome struct {
	did  bool
	next time.Time
	err  error
}

// stop is a place at which a hand waits for its turn.
type stop struct {
	what     string
	request  *http.Request
	answered bool
	turn     chan struct{}
}

// expired reports whether whoever made the request has stopped waiting.
func (s *stop) expired() bool { return s.request.Context().Err() != nil }

// stop waits for the hand's turn. It returns an error if by then nobody waits for the request any more.
func (h *worker) stop(at *stop) error {
	h.at = at
	<-at.turn
	return at.request.Context().Err()
}

// release lets a hand go on.
func (h *worker) release() {
	at := h.at
	h.at = nil
	close(at.turn)
}

// isToken reports whether a request asks for a token. Whoever does holds a lock that others wait for.
func isToken(r *http.Request) bool {
	const end = "/access_tokens"
	p := r.URL.Path
	return len(p) > len(end) && p[len(p)-len(end):] == end
}

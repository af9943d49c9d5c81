package loop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"waybill/app/gh"
	"waybill/app/work"
)

// health is whether GitHub could be reached at the last try.
type health struct {
	mu    sync.Mutex
	asked bool
	err   error
	tries int // in a row that failed
	next  time.Time
}

// Observe records the outcome of a request to GitHub.
func (l *Loop) Observe(c gh.Call) {
	l.Metrics.Called(c)
	switch {
	case c.Installation == 0: // Greet records the requests of the App itself
	case c.Err != nil && !errors.Is(c.Err, context.Canceled): // the caller gave up
		l.Ready.note(c.Err, l.Clock())
	case c.Status >= http.StatusInternalServerError:
		l.Ready.note(fmt.Errorf("it answered %d %s", c.Status, http.StatusText(c.Status)), l.Clock())
	case c.Err == nil:
		l.Ready.note(nil, l.Clock())
	}
}

// note records the outcome of a try, and when to try again.
func (r *health) note(err error, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.err = true, err
	if err == nil {
		r.tries = 0
		return
	}
	r.tries++
	r.next = now.Add(work.RequestBackoff.After(r.tries, 0))
}

// due reports whether to ask GitHub now, because it was never asked or could not be reached, and otherwise when.
func (r *health) due(now time.Time) (ask bool, next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.asked:
		return true, time.Time{}
	case r.err == nil:
		return false, time.Time{}
	}
	return !now.Before(r.next), r.next
}

// Last returns the error of the last try to reach GitHub; empty if there was none.
func (r *health) Last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.asked:
		return "not asked yet"
	case r.err != nil:
		return r.err.Error()
	}
	return ""
}

// known reports whether GitHub has been asked at all.
func (r *health) known() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// Greet asks GitHub for the App's own identity at the start, and after a failure until GitHub answers.
func (l *Loop) Greet(ctx context.Context) (did bool, next time.Time, err error) {
	ask, next := l.Ready.due(l.Clock())
	if !ask {
		return false, next, nil
	}
	_, err = l.Hub.Greet(ctx)
	if ctx.Err() == nil {
		l.Ready.note(err, l.Clock())
	}
	return true, time.Time{}, nil
}

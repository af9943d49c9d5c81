package loop

import (
	"context"
	"sync"
	"time"

	"waybill/app/work"
)

// signIn is whether GitHub has recognised the App since the start.
type signIn struct {
	mu    sync.Mutex
	asked bool
	err   error
	tries int // in a row that failed
	next  time.Time
}

// note records the outcome of a try, and when to try again.
func (r *signIn) note(err error, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.err = true, err
	if err != nil {
		r.tries++
		r.next = now.Add(work.RequestBackoff.After(r.tries, 0))
	}
}

// due reports whether to ask GitHub now, because it has not recognised the App yet, and otherwise when.
func (r *signIn) due(now time.Time) (ask bool, next time.Time) {
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

// Last returns why GitHub has not recognised the App; empty if it has.
func (r *signIn) Last() string {
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
func (r *signIn) known() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// Greet asks GitHub for the App's own identity at the start, until GitHub answers.
func (l *Loop) Greet(ctx context.Context) (did bool, next time.Time, err error) {
	ask, next := l.SignIn.due(l.Clock())
	if !ask {
		return false, next, nil
	}
	_, err = l.Hub.Greet(ctx)
	if ctx.Err() == nil {
		l.SignIn.note(err, l.Clock())
	}
	return true, time.Time{}, nil
}

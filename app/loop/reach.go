package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/store"
)

// reach knows the installations for which GitHub did not answer the last request.
type reach struct {
	mu      sync.Mutex
	failing map[int64]string
}

// note records the outcome of a request for an installation; an empty trouble is an answer.
func (r *reach) note(installation int64, trouble string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if trouble == "" {
		delete(r.failing, installation)
		return
	}
	if r.failing == nil {
		r.failing = map[int64]string{}
	}
	r.failing[installation] = trouble
}

// Failing returns the reason for each installation for which GitHub did not answer the last request. Installations are
// known by their ids only: the page that shows them is public.
func (r *reach) Failing() map[int64]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.failing)
}

// Observe records the outcome of a request to GitHub.
func (l *Loop) Observe(c gh.Call) {
	l.Metrics.Called(c)
	trouble := ""
	switch {
	case c.Installation == 0 || errors.Is(c.Err, context.Canceled): // Greet asks for the App itself; the caller gave up
		return
	case c.Err != nil:
		trouble = "it did not answer"
	case c.Status >= http.StatusInternalServerError:
		trouble = fmt.Sprintf("it answered %d %s", c.Status, http.StatusText(c.Status))
	}
	l.Reach.note(c.Installation, trouble)
	l.Metrics.Answered(c.Installation, trouble == "")
}

// MendNext tries to write to a database that was in trouble, until that is over.
func (l *Loop) MendNext(ctx context.Context) (did bool, next time.Time, err error) {
	if l.Store.Mend(ctx) {
		zerolog.Ctx(ctx).Info().Msg("the database can be written again")
	}
	return false, time.Time{}, nil
}

// BeatNext says that this server is at work, where several share the database.
func (l *Loop) BeatNext(ctx context.Context) (did bool, next time.Time, err error) {
	return false, l.Clock().Add(store.BeatEvery), l.Store.Beat(ctx)
}

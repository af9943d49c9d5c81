// Package wire is the layer between the network and the APIs. It records requests and injects faults, and does not
// interpret requests.
package wire

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"waybill/internal/wireless"
)

// LargestBody is larger than any client's request; GitHub's own limit for file contents is 100 MB.
const LargestBody = 64 << 20

// Wire records requests and injects faults.
type Wire struct {
	clock    func() time.Time
	template func(*http.Request) string // the route of a request, empty if unknown
	faults   *Faults
	record   recorder
	// Injected, if not nil, is called for each answer that a fault makes up in place of the API's.
	Injected func(r *http.Request, body []byte, answer http.Header, status int, text []byte)
	lateness atomic.Int64 // of the answers to merges, a time.Duration
}

// AnswerLate dates the answers to merges so much later than what they did. A GitHub that takes long to answer does.
func (w *Wire) AnswerLate(by time.Duration) { w.lateness.Store(int64(by)) }

// late returns how much later than its effect the answer to a request is dated.
func (w *Wire) late(r RecordedRequest) time.Duration {
	if r.Method != http.MethodPut || !strings.HasSuffix(r.Route, "/merge") {
		return 0
	}
	return time.Duration(w.lateness.Load())
}

// New returns a Wire. Faults select the requests that fail; template returns the route of a request.
func New(clock func() time.Time, faults *Faults, template func(*http.Request) string) *Wire {
	return &Wire{clock: clock, faults: faults, template: template}
}

// Requests lists every API request so far.
func (w *Wire) Requests() []RecordedRequest { return w.record.list() }

// Forget clears the list of requests.
func (w *Wire) Forget() { w.record.forget() }

// Count returns the number of requests so far that a route matches.
func (w *Wire) Count(match Route) int {
	count := 0
	for _, r := range w.Requests() {
		if match.matches(r) {
			count++
		}
	}
	return count
}

// Watch records every request to the APIs and applies the armed faults. It is outside of the checks, and shows Injected
// the answers that it makes up.
func (w *Wire) Watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		request, body, err := w.describe(r)
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		place := w.record.begin(request)
		answer := &buffered{}
		fault, hit := w.faults.take(request)
		if !hit {
			next.ServeHTTP(answer, r)
		} else if !w.broken(answer, r, next, fault, body) {
			panic(http.ErrAbortHandler) // the connection is closed without an answer
		}
		w.record.end(place, answer.Status)
		w.record.keep(w.clock(), r, body, answer)
		if answer.Header().Get("Date") == "" {
			answer.Header().Set("Date", w.clock().Add(w.late(request)).UTC().Format(http.TimeFormat))
		}
		answer.send(out)
	})
}

// broken serves a request with a fault. It returns false if the reply must be lost.
func (w *Wire) broken(answer *buffered, r *http.Request, next http.Handler, fault Fault, body []byte) bool {
	if fault.Before != nil {
		fault.Before()
	}
	if fault.Delay > 0 {
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return false
		}
	}
	if fault.Status != 0 {
		w.inject(answer, r, fault, body)
		return true
	}
	if old, found := w.record.recall(r, body); found && w.clock().Sub(old.at) < fault.Stale {
		answer.replay(old)
		return true
	}
	if fault.FieldError != nil {
		r = r.WithContext(withFieldError(r.Context(), fault.FieldError))
	}
	if fault.Moved {
		r = r.WithContext(context.WithValue(r.Context(), movedKey{}, true))
	}
	if fault.Part > 0 {
		r = r.WithContext(context.WithValue(r.Context(), partKey{}, fault.Part))
	}
	next.ServeHTTP(answer, r)
	if fault.Belated != 0 {
		*answer = buffered{}
		w.inject(answer, r, Fault{Status: fault.Belated}, body)
	}
	if fault.After != nil {
		fault.After()
	}
	return !fault.LoseReply
}

// inject makes a fault the answer, and shows it to whoever checks those.
func (w *Wire) inject(answer *buffered, r *http.Request, fault Fault, body []byte) {
	answer.inject(fault)
	if w.Injected != nil {
		w.Injected(r, body, answer.Header(), answer.Status, answer.Body.Bytes())
	}
}

// describe returns the properties of a request that records and faults match. The body can be read again.
func (w *Wire) describe(r *http.Request) (RecordedRequest, []byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, LargestBody))
	if err != nil {
		return RecordedRequest{}, nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	described := RecordedRequest{Method: r.Method, Path: r.URL.RequestURI(), At: w.clock()}
	if r.URL.Path == "/api/graphql" {
		described.Route = "/graphql"
		described.Fields, described.Writes = topFields(body)
		return described, body, nil
	}
	described.Route, described.Writes = w.template(r), r.Method != http.MethodGet && r.Method != http.MethodHead
	return described, body, nil
}

// buffered holds an answer back until it may be sent.
type buffered struct {
	wireless.Buffer
	old bool // it is one of before
}

func (b *buffered) inject(fault Fault) {
	b.Header().Set("Content-Type", "application/json; charset=utf-8")
	if strings.HasPrefix(fault.Body, "<") {
		b.Header().Set("Content-Type", "text/html")
	}
	for key, values := range fault.Header {
		b.Header()[key] = values
	}
	b.Status = fault.Status
	text := fault.Body
	if text == "" {
		text = refusal(fault.Status, http.StatusText(fault.Status), "rest")
	}
	b.Body.WriteString(text)
}

func (b *buffered) replay(old saved) {
	maps.Copy(b.Header(), old.header.Clone())
	b.Status, b.old = old.status, true
	b.Body.Write(old.body)
}

func (b *buffered) send(w http.ResponseWriter) {
	for key, values := range b.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(max(b.Status, 200))
	w.Write(b.Body.Bytes())
}

type partKey struct{}

// FailingPart returns which part of a query fails, counted from 1; 0: none.
func FailingPart(ctx context.Context) int {
	part, _ := ctx.Value(partKey{}).(int)
	return part
}

type movedKey struct{}

// Moved reports whether a request is answered as if its repository had another name now.
func Moved(r *http.Request) bool { return r.Context().Value(movedKey{}) != nil }

type fieldErrorKey struct{}

// withFieldError adds the injected failure of one field to a context.
func withFieldError(ctx context.Context, f *FieldError) context.Context {
	return context.WithValue(ctx, fieldErrorKey{}, f)
}

// FieldErrorOf returns the failure of one field in a request's context, or nil.
func FieldErrorOf(ctx context.Context) *FieldError {
	f, _ := ctx.Value(fieldErrorKey{}).(*FieldError)
	return f
}

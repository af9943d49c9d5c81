package app

import (
	"context"
	"fmt"
	"net/http"

	"waybill/store"
)

// fenced sends nothing for work under a lease once others may have taken that work up: this server has not been able to
// say for a while that it is at work, because it stood still or cannot reach the database.
type fenced struct {
	next  http.RoundTripper
	store *store.Store
}

// errSilent is why nothing is sent. That is no fault of GitHub's: the request counts as one that its caller gave up.
var errSilent = fmt.Errorf("this server could not say for a while that it is at work, so another one may do this: %w",
	context.Canceled)

// RoundTrip implements http.RoundTripper.
func (f fenced) RoundTrip(r *http.Request) (*http.Response, error) {
	if store.Holds(r.Context()) && f.store.Silent() {
		if r.Body != nil {
			_ = r.Body.Close() // as every RoundTripper does
		}
		return nil, fmt.Errorf("send nothing to %s: %w", r.URL.Host, errSilent)
	}
	return f.next.RoundTrip(r)
}

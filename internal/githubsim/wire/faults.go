package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Route says which requests a fault or a count is about. Empty fields match everything; the zero Route is any request.
type Route struct {
	Method string
	Path   string // template: /repos/{owner}/{repo}/pulls/{pull_number}/merge
	Field  string // top-level field of a GraphQL document: createPullRequest
}

func (r Route) matches(request RecordedRequest) bool {
	return (r.Method == "" || r.Method == request.Method) &&
		(r.Path == "" || r.Path == request.Route) &&
		(r.Field == "" || slices.Contains(request.Fields, r.Field))
}

// Fault describes a failure. With a Status the request has no effect and is answered by it; otherwise the effect
// happens.
type Fault struct {
	Status int
	Body   string
	Header http.Header
	Times  int           // how many requests; 1 by default, -1 for all
	Nth    int           // the first request that is hit, counted from 1 when the fault is armed
	Delay  time.Duration // before the request is looked at; the wall clock, ended early when the client goes away
	// LoseReply carries the request out and then closes the connection without an answer.
	LoseReply bool
	// Stale repeats the last answer to the same request, as a replica that lags does.
	Stale bool
	// FieldError lets one top-level field of a GraphQL mutation fail while the others of the document are carried out.
	FieldError *FieldError
	// Before and After run around the effect; a test stops the program under test there.
	Before, After func()
}

// FieldError is an entry of a GraphQL answer's "errors".
type FieldError struct {
	Field   string // the mutation that fails: createPullRequest
	Type    string // UNPROCESSABLE by default
	Message string
}

// Faults holds the armed faults. The first one that matches is taken, in the order they were armed.
type Faults struct {
	mu    sync.Mutex
	clock func() time.Time
	armed []*armed
}

type armed struct {
	route Route
	fault Fault
	seen  int
	done  int
}

// FailNext arms a fault for the next requests that match.
func (f *Faults) FailNext(match Route, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, &armed{route: match, fault: fault})
}

// Clear disarms everything.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = nil
}

// Pending counts the faults that have not been used up.
func (f *Faults) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.armed)
}

// NewFaults holds none. The clock is that of the resets in limits.
func NewFaults(clock func() time.Time) *Faults { return &Faults{clock: clock} }

// take finds the fault for a request and uses it up.
func (f *Faults) take(request RecordedRequest) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range f.armed {
		if !a.route.matches(request) {
			continue
		}
		a.seen++
		if a.seen < a.fault.Nth {
			continue
		}
		a.done++
		if a.fault.Times >= 0 && a.done >= max(1, a.fault.Times) {
			f.armed = slices.Delete(f.armed, i, i+1)
		}
		return a.fault, true
	}
	return Fault{}, false
}

// limitsPage is the page of GitHub's documentation on its limits.
const limitsPage = "rest/using-the-rest-api/rate-limits-for-the-rest-api"

// refusal is the body of an answer that says no, with the page of the documentation that it names.
func refusal(status int, message, page string) string {
	const form = `{"message":%q,"documentation_url":"https://docs.github.com/%s","status":"%d"}`
	return fmt.Sprintf(form, message, page, status)
}

// PrimaryLimit is the answer of an installation whose hour is used up; GitHub uses 403 and 429 for it.
func (f *Faults) PrimaryLimit(status int, reset time.Duration) Fault {
	header := http.Header{}
	header.Set("X-RateLimit-Limit", "5000")
	header.Set("X-RateLimit-Remaining", "0")
	header.Set("X-RateLimit-Reset", strconv.FormatInt(f.clock().Add(reset).Unix(), 10))
	header.Set("X-RateLimit-Resource", "core")
	body := refusal(status, "API rate limit exceeded for installation ID 1.", limitsPage)
	return Fault{Status: status, Header: header, Body: body}
}

// SecondaryLimit is GitHub's brake on too many requests at once, with 403 or 429; without a Retry-After when retryAfter
// is zero.
func (f *Faults) SecondaryLimit(status int, retryAfter time.Duration) Fault {
	header := http.Header{}
	if retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
	body := refusal(status, message, limitsPage+"#about-secondary-rate-limits")
	return Fault{Status: status, Header: header, Body: body}
}

// BaseModified is the transient refusal of a merge while GitHub still digests a push to the base branch.
func (f *Faults) BaseModified() Fault {
	const message = "Base branch was modified. Review and try the merge again."
	status := http.StatusMethodNotAllowed
	return Fault{Status: status, Body: refusal(status, message, "rest/pulls/pulls#merge-a-pull-request")}
}

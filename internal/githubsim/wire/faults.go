package wire

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Route selects requests for a fault or a count. An empty field matches everything, and the zero Route matches any
// request.
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

// Fault describes a failure. With a Status, the request has no effect and is answered with the status; otherwise the
// effect happens.
type Fault struct {
	Status int
	Body   string
	Header http.Header
	Times  int           // number of requests; 1 by default, -1 for all
	Nth    int           // the first request to fail, counted from 1 when the fault is armed
	Delay  time.Duration // before the request is handled; wall-clock time, ended early if the client disconnects
	// LoseReply executes the request and then closes the connection without an answer.
	LoseReply bool
	// Stale repeats the last answer to the same request, if it is not older, as a lagging replica does.
	Stale time.Duration
	// FieldError makes one top-level field of a GraphQL mutation fail; the other fields of the document are executed.
	FieldError *FieldError
	// Belated is a status that takes the place of the answer after the effect, as of a gateway that has not waited.
	Belated int
	// Part makes one part of a GraphQL query fail, counted from 1, if it has so many that may be null; the others are
	// answered.
	Part int
	// Moved answers a request about a repository as if that had been renamed just now, and gets its name back after it.
	Moved bool
	// Before and After are called around the effect, so that a test can stop the program under test there.
	Before, After func()
}

// FieldError is an entry of a GraphQL answer's "errors".
type FieldError struct {
	Field   string // the failing mutation: createPullRequest
	Type    string // UNPROCESSABLE by default
	Message string
}

// Faults holds the armed faults. Of several that match, the first one armed is used.
type Faults struct {
	mu    sync.Mutex
	clock func() time.Time
	armed []*armed

	random  *rand.Rand
	chances []Chance
}

// Chance is a fault that hits requests at random.
type Chance struct {
	Of    int // hits one request of so many
	Hits  func(RecordedRequest) bool
	Fault Fault
}

// NowAndThen makes requests fail at random from now on: a seed decides which. It replaces the chances before. An armed
// fault goes first.
func (f *Faults) NowAndThen(seed uint64, chances ...Chance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.random, f.chances = rand.New(rand.NewPCG(seed, 0)), chances
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

// Clear removes all faults, and those that happen now and then.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.chances = nil, nil
}

// Pending returns the number of faults that are not used up.
func (f *Faults) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.armed)
}

// NewFaults returns Faults without any fault. The clock is for the reset times of limits.
func NewFaults(clock func() time.Time) *Faults { return &Faults{clock: clock} }

// take finds the fault for a request and counts its use.
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
	for _, c := range f.chances {
		if c.Hits(request) && f.random.IntN(c.Of) == 0 {
			return c.Fault, true
		}
	}
	return Fault{}, false
}

// limitsPage is the page on limits in GitHub's documentation.
const limitsPage = "rest/using-the-rest-api/rate-limits-for-the-rest-api"

// refusal returns the body of an error answer with its page of the documentation.
func refusal(status int, message, page string) string {
	const form = `{"message":%q,"documentation_url":"https://docs.github.com/%s","status":"%d"}`
	return fmt.Sprintf(form, message, page, status)
}

// PrimaryLimit is the answer to an installation that has used up its hourly limit, with 403 or 429.
func (f *Faults) PrimaryLimit(status int, reset time.Duration) Fault {
	header := http.Header{}
	header.Set("X-RateLimit-Limit", "5000")
	header.Set("X-RateLimit-Remaining", "0")
	header.Set("X-RateLimit-Reset", strconv.FormatInt(f.clock().Add(reset).Unix(), 10))
	header.Set("X-RateLimit-Resource", "core")
	body := refusal(status, "API rate limit exceeded for installation ID 1.", limitsPage)
	return Fault{Status: status, Header: header, Body: body}
}

// SecondaryLimit is GitHub's answer to too many requests at once, with 403 or 429. It has no Retry-After if retryAfter
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

// BaseModified is the transient error of a merge while GitHub still processes a push to the base branch.
func (f *Faults) BaseModified() Fault {
	const message = "Base branch was modified. Review and try the merge again."
	status := http.StatusMethodNotAllowed
	return Fault{Status: status, Body: refusal(status, message, "rest/pulls/pulls#merge-a-pull-request")}
}

// BadObjectState is the transient error of GitHub's Git, which could not keep an object that it was given.
func (f *Faults) BadObjectState() Fault {
	const status = http.StatusUnprocessableEntity
	return Fault{Status: status, Body: refusal(status, "GitRPC::BadObjectState", "rest/git/trees#create-a-tree")}
}

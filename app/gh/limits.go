package gh

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// reserve is the part of the hour's requests and points that is left to promotions, and to the webhooks that tell of
	// them: a fifth.
	reserve = 5
	// secondaryPause is how long to stay away after a secondary limit that names no time; it doubles until
	// secondaryLongest.
	secondaryPause   = time.Minute
	secondaryLongest = 15 * time.Minute
	// longestPause bounds the effect of a wrong header or clock: no window of GitHub's is longer.
	longestPause = time.Hour
)

// The resources that GitHub counts apart; a secondary limit stops both.
const (
	resourceREST    = "core"
	resourceGraphQL = "graphql"
)

// gate keeps the calls of one installation within GitHub's limits. It never makes a call wait: a call that must not be
// made now comes back as a transient error that says when, and other installations have gates of their own.
type gate struct {
	now func() time.Time

	mu      sync.Mutex
	until   map[string]time.Time // by resource: nothing is sent before
	scarce  map[string]time.Time // by resource: until then only the reserve is left
	strikes int                  // secondary limits in a row that named no time

	throttled time.Time // no content is made before
	throttles int       // how often GitHub has asked for that in a row

	outage outage
	told   Shut // the state at the last call of news
}

func newGate(now func() time.Time) *gate {
	return &gate{now: now, until: map[string]time.Time{}, scarce: map[string]time.Time{}}
}

// shut returns how long a resource must not be asked; 0 if it may be.
func (g *gate) shut(resource string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, g.until[resource].Sub(g.now()))
}

// isScarce reports whether little is left of a resource, also while another one is shut.
func (g *gate) isScarce() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, until := range g.scarce {
		if until.After(g.now()) {
			return true
		}
	}
	return false
}

// close shuts resources for a while. It never shortens a pause that runs already.
func (g *gate) close(pause time.Duration, resources ...string) {
	until := g.now().Add(min(max(pause, time.Second), longestPause))
	for _, r := range resources {
		if until.After(g.until[r]) {
			g.until[r] = until
		}
	}
}

// note learns from an answer and returns an error if it is a limit. GitHub sends both kinds with 403 or 429; GraphQL
// also with 200, and then there is no error, because the answer says which of its fields were carried out.
func (g *gate) note(resource string, status int, header http.Header, body []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	left, most := remaining(header), number(header, "X-Ratelimit-Limit")
	spent := left == 0
	switch {
	case left > most/reserve:
		delete(g.scarce, resource)
	case left >= 0: // an answer without the header says nothing
		g.scarce[resource] = g.now().Add(g.untilReset(header))
	}
	limited := isLimit(resource, status, body)
	if !limited && status != http.StatusForbidden && status != http.StatusTooManyRequests {
		g.strikes = 0
		if spent { // this call was the last one
			g.close(g.untilReset(header), resource)
		}
		return nil
	}
	var err error
	switch pause := seconds(header.Get("Retry-After")); {
	case pause > 0:
		g.close(pause, resourceREST, resourceGraphQL)
		err = transient(pause, "GitHub asks for a pause", nil)
	case spent:
		pause = g.untilReset(header)
		g.close(pause, resource)
		err = transient(pause, "the rate limit is used up", nil)
	case limited:
		pause = min(secondaryPause<<min(g.strikes, 10), secondaryLongest)
		g.strikes++
		g.close(pause, resourceREST, resourceGraphQL)
		err = transient(pause, "GitHub asks for a pause", nil)
	}
	if status == http.StatusOK {
		return nil
	}
	return err // nil for an ordinary 403: something is not allowed
}

// isLimit reports whether the words of an answer, or of an error in an answer of GraphQL, are those of a limit.
func isLimit(resource string, status int, body []byte) bool {
	if status != http.StatusOK {
		return meaningOf(refusal{Status: status, Text: string(body)}) == ClassLimited
	}
	var answer struct {
		Errors []graphQLError `json:"errors"`
	}
	if resource != resourceGraphQL || !bytes.Contains(body, []byte(`"errors"`)) || json.Unmarshal(body, &answer) != nil {
		return false
	}
	return slices.ContainsFunc(answer.Errors, func(e graphQLError) bool {
		return meaningOf(refusal{Type: e.Type, Text: e.Message}) == ClassLimited
	})
}

// untilReset returns how long until the hour's share is renewed, by the clock of the answer itself: ours may be wrong.
func (g *gate) untilReset(header http.Header) time.Duration {
	reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return secondaryPause
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = g.now()
	}
	return min(max(time.Unix(reset, 0).Sub(now), time.Second), longestPause)
}

// seconds reads a Retry-After header, and takes no more than the longest pause from it; 0 if there is none.
func seconds(header string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int(longestPause/time.Second))) * time.Second
}

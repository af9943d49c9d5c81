package gh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// outages is a hub whose GitHub answers with a status, and the changes that it has told of.
func outages(t *testing.T, status *int) (hub *Hub, clock *clock, changes *[]Shut) {
	hub, clock = wire(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(*status)
		fmt.Fprint(w, `{"permission": "read", "message": "m", "resources": {}}`)
	})
	changes = new([]Shut)
	hub.config.Changed = func(installation int64) { *changes = append(*changes, hub.Shut(installation)) }
	return hub, clock, changes
}

func TestAnOutageLastsUntilGitHubAnswersAQuestion(t *testing.T) {
	status := http.StatusServiceUnavailable
	hub, clock, changes := outages(t, &status)
	c := must(t, hub, 1, repo)
	for range outageAfter {
		require.Empty(t, *changes)
		_, err := c.People.Permission(t.Context(), "ann")
		require.ErrorIs(t, err, ErrTransient)
	}
	require.Equal(t, []Shut{{Until: noon.Add(2 * time.Second), Outage: true}}, *changes)
	require.Zero(t, hub.Shut(2), "another installation goes on")

	did, next, err := hub.Probe(t.Context())
	require.NoError(t, err)
	require.False(t, did)
	require.Equal(t, noon.Add(2*time.Second), next)
	for _, pause := range []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, 30 * time.Second} {
		clock.Advance(time.Minute)
		did, _, err = hub.Probe(t.Context())
		require.Error(t, err)
		require.True(t, did)
		require.Equal(t, Shut{Until: clock.Now().Add(pause), Outage: true}, hub.Shut(1))
	}
	status = http.StatusOK
	clock.Advance(30 * time.Second)
	did, _, err = hub.Probe(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	require.Zero(t, hub.Shut(1))
	require.Zero(t, (*changes)[len(*changes)-1], "it is told")
	did, next, err = hub.Probe(t.Context())
	require.NoError(t, err)
	require.False(t, did)
	require.Zero(t, next)
}

// TestAnInstallationThatGitHubDoesNotAnswerDelaysNoOther: GitHub answers about the first one only after it has been
// asked about the second one.
func TestAnInstallationThatGitHubDoesNotAnswerDelaysNoOther(t *testing.T) {
	var probes atomic.Int64
	second := make(chan struct{})
	hub, clock := wire(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/rate_limit" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if probes.Add(1) == 2 {
			close(second)
		}
		select {
		case <-second:
			fmt.Fprint(w, `{"resources": {}}`)
		case <-r.Context().Done():
		}
	})
	for installation := range int64(2) {
		for range outageAfter {
			_, err := must(t, hub, installation+1, repo).People.Permission(t.Context(), "ann")
			require.ErrorIs(t, err, ErrTransient)
		}
	}
	clock.Advance(time.Minute)
	did, _, err := hub.Probe(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	require.Zero(t, hub.Shut(1))
	require.Zero(t, hub.Shut(2))
}

func TestFailuresWithAnAnswerInBetweenAreNoOutage(t *testing.T) {
	status := http.StatusServiceUnavailable
	hub, _, changes := outages(t, &status)
	c := must(t, hub, 1, repo)
	for range 2 * outageAfter {
		for range outageAfter - 1 {
			_, err := c.People.Permission(t.Context(), "ann")
			require.ErrorIs(t, err, ErrTransient)
		}
		status = http.StatusNotFound
		_, err := c.Pulls.Read(t.Context(), 1)
		require.ErrorIs(t, err, ErrNotFound)
		status = http.StatusServiceUnavailable
	}
	require.Empty(t, *changes)
}

func TestOneThingThatFailsWheneverItIsTriedAgainIsNoOutage(t *testing.T) {
	status := http.StatusServiceUnavailable
	hub, clock, changes := outages(t, &status)
	c := must(t, hub, 1, repo)
	for range 2 * outageAfter {
		_, err := c.People.Permission(t.Context(), "ann")
		require.ErrorIs(t, err, ErrTransient)
		clock.Advance(5 * time.Minute)
	}
	require.Empty(t, *changes)
}

func TestALargeQueryThatGitHubDoesNotAnswerIsNoOutage(t *testing.T) {
	status := http.StatusBadGateway
	hub, _, changes := outages(t, &status)
	c := must(t, hub, 1, repo)
	for range 2 * outageAfter {
		_, err := c.Files.Read(t.Context(), "", nil)
		require.ErrorIs(t, err, ErrTransient)
	}
	require.Empty(t, *changes)
}

func TestALimitIsToldAndItsEnd(t *testing.T) {
	status := http.StatusTooManyRequests
	hub, clock, changes := outages(t, &status)
	c := must(t, hub, 1, repo)
	_, err := c.People.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrTransient)
	status = http.StatusOK
	clock.Advance(time.Minute)
	_, err = c.People.Permission(t.Context(), "ann")
	require.NoError(t, err)
	require.Equal(t, []Shut{{Until: noon.Add(time.Minute)}, {}}, *changes)
}

// TestRequestsThatFailTogetherAreOneOutage has answers come in that belong to requests from before the outage.
func TestRequestsThatFailTogetherAreOneOutage(t *testing.T) {
	c := &clock{now: noon}
	g := newGate(c.Now)
	era := g.era()
	for range 3 * outageAfter {
		g.heard(era, dead)
	}
	require.Equal(t, noon.Add(2*time.Second), g.asked())
	g.heard(era, alive)
	require.NotZero(t, g.asked(), "that was before")
	g.heard(g.era(), alive)
	require.Zero(t, g.asked())
	require.Equal(t, dead, signOf(resourceREST, errors.New("connection refused"), 0))
}

// TestANetworkThatSwallowsPacketsIsAnOutage: GitHub is asked, and no answer ever comes. A caller that gives up, and a
// query that is too large, are none.
func TestANetworkThatSwallowsPacketsIsAnOutage(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	for name, test := range map[string]struct {
		err     error
		took    time.Duration
		rest    sign
		graphQL sign
	}{
		"no connection":      {dial, time.Second, dead, dead},
		"no name":            {&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, time.Second, dead, dead},
		"no keys":            {handshakeTimeout{}, time.Second, dead, dead},
		"no answer":          {context.DeadlineExceeded, timeout, dead, unclear},
		"no time for one":    {context.DeadlineExceeded, time.Second, unclear, unclear},
		"its caller gave up": {context.Canceled, timeout, unclear, unclear},
		"its caller gave up while it connected": {
			&net.OpError{Op: "dial", Err: context.Canceled}, time.Second, unclear, unclear,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := classify(&url.Error{Op: "Get", URL: "https://api.github.com", Err: test.err})
			require.ErrorIs(t, err, ErrTransient)
			require.Equal(t, test.rest, signOf(resourceREST, err, test.took))
			require.Equal(t, test.graphQL, signOf(resourceGraphQL, err, test.took))
		})
	}
}

// handshakeTimeout is an error as net/http has it for TLS.
type handshakeTimeout struct{}

func (handshakeTimeout) Error() string   { return "net/http: TLS handshake timeout" }
func (handshakeTimeout) Timeout() bool   { return true }
func (handshakeTimeout) Temporary() bool { return true }

// TestTheLastFifthOfAnHourIsTold of either resource, until that hour is over or GitHub says that there is more.
func TestTheLastFifthOfAnHourIsTold(t *testing.T) {
	left := 1001
	hub, clock := wire(t, func(w http.ResponseWriter, _ *http.Request) {
		if left >= 0 {
			w.Header().Set("X-RateLimit-Limit", "5000")
			w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(left))
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(noon.Add(time.Hour).Unix(), 10))
		}
		_, _ = w.Write([]byte(`{"permission": "read"}`))
	})
	c := must(t, hub, 1, repo)
	ask := func() Shut {
		_, err := c.People.Permission(t.Context(), "ann")
		require.NoError(t, err)
		return hub.Shut(1)
	}
	require.Zero(t, ask())
	left = 1000
	require.Equal(t, Shut{Until: noon.Add(time.Hour), Scarce: true}, ask())
	left = -1 // which GitHub does not say
	require.Equal(t, Shut{Until: noon.Add(time.Hour), Scarce: true}, ask())
	left = 1001
	require.Zero(t, ask())
	left = 1
	require.NotZero(t, ask())
	clock.Advance(time.Hour)
	require.Zero(t, hub.Shut(1))
}

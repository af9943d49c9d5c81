package gh

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// limit is an answer with which GitHub limits the rate.
type limit struct {
	status int
	header map[string]string
	body   string
}

func (l limit) write(w http.ResponseWriter) {
	for key, value := range l.header {
		w.Header().Set(key, value)
	}
	w.WriteHeader(l.status)
	fmt.Fprint(w, l.body)
}

const secondaryBody = `{
	"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
	"documentation_url": ` +
	`"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`

func spentUntil(reset time.Time) map[string]string {
	return map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(reset.Unix())}
}

// TestALimitEndsByTheClockThatToldOfIt has our clock be a minute off, either way.
func TestALimitEndsByTheClockThatToldOfIt(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Minute, time.Minute} {
		g := newGate(func() time.Time { return noon.Add(ahead) })
		header := http.Header{"Date": {noon.Format(http.TimeFormat)}}
		for key, value := range spentUntil(noon.Add(10 * time.Minute)) {
			header.Set(key, value)
		}
		require.Error(t, g.note(resourceREST, http.StatusForbidden, header, nil))
		require.Equal(t, 10*time.Minute, g.shut(resourceREST), ahead)
	}
}

func TestNothingIsAskedBeforeTheLimitEndsF22(t *testing.T) {
	const permission = `{"permission": "read", "role_name": "read"}`
	for name, test := range map[string]struct {
		limit limit
		wait  time.Duration
	}{
		"primary 403": {
			limit{403, spentUntil(noon.Add(10 * time.Minute)), `{"message": "API rate limit exceeded"}`}, 10 * time.Minute,
		},
		"primary 429":            {limit{429, spentUntil(noon.Add(10 * time.Minute)), ``}, 10 * time.Minute},
		"last call of the hour":  {limit{200, spentUntil(noon.Add(10 * time.Minute)), permission}, 10 * time.Minute},
		"secondary 403":          {limit{403, map[string]string{"Retry-After": "90"}, secondaryBody}, 90 * time.Second},
		"secondary 429":          {limit{429, map[string]string{"Retry-After": "90"}, `{}`}, 90 * time.Second},
		"secondary, no time":     {limit{403, nil, secondaryBody}, time.Minute},
		"429, no time":           {limit{429, nil, `<html></html>`}, time.Minute},
		"reset in the past":      {limit{403, spentUntil(noon.Add(-time.Minute)), ``}, time.Second},
		"reset in a wrong year":  {limit{403, spentUntil(noon.Add(24 * 365 * time.Hour)), ``}, time.Hour},
		"Retry-After of a month": {limit{429, map[string]string{"Retry-After": "2600000"}, ``}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			hub, clock := wire(t, func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked == 1 {
					test.limit.write(w)
					return
				}
				fmt.Fprint(w, permission)
			})
			limited, other := must(t, hub, 1, repo), must(t, hub, 2, "other/app")
			_, err := limited.People.Permission(t.Context(), "ann")
			if test.limit.status != 200 {
				require.ErrorIs(t, err, ErrTransient)
				require.NotErrorIs(t, err, ErrRefused)
			}
			clock.Advance(test.wait - time.Millisecond)
			_, err = limited.People.Permission(t.Context(), "ann")
			require.ErrorIs(t, err, ErrTransient)
			require.Equal(t, time.Millisecond, RetryAfter(err))
			require.Equal(t, 1, asked, "no request before the time")

			_, err = other.People.Permission(t.Context(), "ann")
			require.NoError(t, err, "another installation goes on")
			_, err = must(t, hub, 1, "acme/second").People.Permission(t.Context(), "ann")
			require.ErrorIs(t, err, ErrTransient, "another repository of the installation does not")

			clock.Advance(time.Millisecond)
			_, err = limited.People.Permission(t.Context(), "ann")
			require.NoError(t, err)
		})
	}
}

func TestOnlyTheResourceThatIsSpentIsLeftAloneF22(t *testing.T) {
	hub, _ := wire(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/graphql" {
			limit{200, spentUntil(noon.Add(time.Hour)), `{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit ` +
				`exceeded"}]}`}.write(w)
			return
		}
		fmt.Fprint(w, `{"permission": "read"}`)
	})
	c := must(t, hub, 1, repo)
	_, err := c.Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrTransient)
	require.Equal(t, time.Hour, RetryAfter(err))
	_, err = c.People.Permission(t.Context(), "ann")
	require.NoError(t, err)
}

// TestALimitThatGraphQLTellsOfWith200IsALimit: both kinds, in all of GitHub's words.
func TestALimitThatGraphQLTellsOfWith200IsALimit(t *testing.T) {
	for name, test := range map[string]struct {
		header map[string]string
		body   string
		wait   time.Duration
		rest   bool // goes on
	}{
		"secondary": {nil, `{"errors": [{"message": "You have exceeded a secondary rate limit."}]}`, time.Minute, false},
		"secondary, with a time": {
			map[string]string{"Retry-After": "90"}, `{"errors": [{"message": "You have exceeded a secondary rate limit."}]}`,
			90 * time.Second, false,
		},
		"primary": {
			spentUntil(noon.Add(10 * time.Minute)), `{"errors": [{"type": "RATE_LIMIT", "code": "graphql_rate_limit",
				"message": "API rate limit already exceeded for installation ID 1."}]}`, 10 * time.Minute, true,
		},
		"primary, without a time": {nil, `{"errors": [{"type": "RATE_LIMIT", "message": "m"}]}`, time.Minute, false},
		"primary, in words":       {nil, `{"errors": [{"message": "API rate limit exceeded"}]}`, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			hub, clock := wire(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/graphql" {
					fmt.Fprint(w, `{"permission": "read"}`)
					return
				}
				asked++
				limit{200, test.header, test.body}.write(w)
			})
			c := must(t, hub, 1, repo)
			_, err := c.Files.Read(t.Context(), "", nil)
			require.ErrorIs(t, err, ErrTransient)
			require.Equal(t, test.wait, RetryAfter(err))
			clock.Advance(test.wait - time.Millisecond)
			_, err = c.Files.Read(t.Context(), "", nil)
			require.ErrorIs(t, err, ErrTransient)
			require.Equal(t, 1, asked, "no request before the time")
			_, err = c.People.Permission(t.Context(), "ann")
			require.Equal(t, test.rest, err == nil)
			clock.Advance(time.Millisecond)
			_, err = c.Files.Read(t.Context(), "", nil)
			require.ErrorIs(t, err, ErrTransient)
			require.Equal(t, 2, asked)
			if test.header == nil {
				require.Equal(t, 2*time.Minute, RetryAfter(err), "the second in a row pauses longer")
			}
		})
	}
}

func TestSecondaryLimitsInARowPauseLongerT35(t *testing.T) {
	hub, clock := wire(t, func(w http.ResponseWriter, _ *http.Request) { limit{403, nil, secondaryBody}.write(w) })
	c := must(t, hub, 1, repo)
	for _, want := range []time.Duration{
		time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute,
	} {
		_, err := c.People.Permission(t.Context(), "ann")
		require.Equal(t, want, RetryAfter(err))
		clock.Advance(want)
	}
}

func TestASecondaryLimitStopsEverythingUntilItIsOver(t *testing.T) {
	limited := true
	hub, clock := wire(t, func(w http.ResponseWriter, _ *http.Request) {
		if limited {
			limit{403, nil, secondaryBody}.write(w)
			return
		}
		fmt.Fprint(w, `{"permission": "read"}`)
	})
	c := must(t, hub, 1, repo)
	for range 2 { // after a success the next pause is a short one again
		limited = true
		_, err := c.People.Permission(t.Context(), "ann")
		require.Equal(t, time.Minute, RetryAfter(err))
		_, err = c.Files.Read(t.Context(), "", nil)
		require.Equal(t, time.Minute, RetryAfter(err), "GraphQL, too")
		clock.Advance(time.Minute)
		limited = false
		_, err = c.People.Permission(t.Context(), "ann")
		require.NoError(t, err)
	}
}

func TestAnOrdinaryNoIsNoLimit(t *testing.T) {
	hub, _ := wire(t, func(w http.ResponseWriter, _ *http.Request) {
		limit{
			403, map[string]string{"X-RateLimit-Remaining": "4999"}, `{"message": "Resource not accessible by integration"}`,
		}.write(w)
	})
	c := must(t, hub, 1, repo)
	for range 2 {
		_, err := c.Pulls.Read(t.Context(), 1)
		require.ErrorIs(t, err, ErrRefused)
		require.NotErrorIs(t, err, ErrTransient)
		require.Equal(t, "Resource not accessible by integration", Explain(err).Detail)
	}
}

func TestEveryCallIsSeen(t *testing.T) {
	var calls []Call
	hub, _ := wire(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "4998")
		fmt.Fprint(w, `{"permission": "read"}`)
	})
	hub.config.Observe = func(c Call) { calls = append(calls, c) }
	_, err := must(t, hub, 1, repo).People.Permission(t.Context(), "ann")
	require.NoError(t, err)
	require.Len(t, calls, 1)
	calls[0].Took = 0
	require.Equal(t, Call{
		Installation: 1, Method: "GET", Path: "/repos/acme/app/collaborators/ann/permission", Status: 200, Resource: "core",
		Remaining: 4998, Reset: -1,
	}, calls[0])
}

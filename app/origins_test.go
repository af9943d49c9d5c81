package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/internal/githubsim"
)

// severed is a transport that may be cut.
type severed struct{ cut bool }

// RoundTrip implements http.RoundTripper.
func (s *severed) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.cut {
		return nil, errors.New("cut off")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestWebhooksAreTakenFromGitHubsAddressesOnly has GitHub publish 127.0.0.1/32, be cut off, and publish it again.
func TestWebhooksAreTakenFromGitHubsAddressesOnly(t *testing.T) {
	github, err := githubsim.Start(githubsim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	wire := &severed{cut: true}
	hub, err := gh.New(gh.Config{
		V3URL: github.V3URL(), V4URL: github.V4URL(), WebURL: github.URL(), AppID: github.AppID(),
		PrivateKey: []byte(github.PrivateKeyPEM()), Clock: clock, Transport: wire,
	})
	require.NoError(t, err)
	o := &origins{hub: hub, clock: clock, addresses: handlers.Addresses{
		Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")},
	}}
	from := func(peer, forwarded string) bool {
		r := httptest.NewRequest(http.MethodPost, "/api/github/hook", nil)
		r.RemoteAddr = peer + ":1"
		r.Header.Set("X-Forwarded-For", forwarded)
		return o.admits(r)
	}
	renew := func() (next time.Time) {
		_, _, err := o.renew(context.Background())
		require.NoError(t, err)
		did, next, err := o.renew(context.Background())
		require.NoError(t, err)
		require.False(t, did, "GitHub is not asked again at once")
		return next
	}

	require.True(t, from("203.0.113.9", ""), "nothing is refused before GitHub has said from where it sends")
	now = renew()
	require.True(t, from("203.0.113.9", ""))
	wire.cut = false
	require.Equal(t, now.Add(time.Hour), renew())
	require.False(t, from("203.0.113.9", ""))
	require.False(t, from("203.0.113.9", "127.0.0.1"), "what a stranger says of others is not believed")
	require.False(t, from("192.0.2.1", "203.0.113.9"), "a stranger behind the proxy")
	require.True(t, from("192.0.2.1", ""), "it cannot be told from where that comes")
	require.True(t, from("10.0.0.1", ""), "nor what is behind a proxy that nobody has named")

	o.known = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}
	require.True(t, from("203.0.113.9", ""))
	require.True(t, from("192.0.2.1", "203.0.113.9"))
	require.False(t, from("198.51.100.1", ""))
	wire.cut = true
	now = now.Add(time.Hour)
	renew()
	require.True(t, from("203.0.113.9", ""), "what was known stays known while GitHub does not answer")
	require.False(t, from("198.51.100.1", ""))
}

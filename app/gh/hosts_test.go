package gh

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stranger is a server that must receive no request.
func stranger(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked for %s, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestNothingIsSentToAnotherHostThanGitHubsT29(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	elsewhere := stranger(t).URL
	for _, over := range []*http.Client{c.http, c.hub.app.Client(), {Transport: c.hub.config.Transport}} {
		for _, address := range []string{
			elsewhere, "http://169.254.169.254/latest/meta-data", strings.Replace(c.hub.v3.String(), "http:", "https:", 1),
		} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
			require.NoError(t, err)
			_, err = over.Do(request) //nolint:bodyclose // there is no body
			require.ErrorIs(t, err, ErrRefused, address)
		}
	}
}

// TestATokenIsNotFetchedFromWhereGitHubRedirectsToT29 checks that no redirect is followed even to the guard that would
// stop it: the guard's error would name the address.
func TestATokenIsNotFetchedFromWhereGitHubRedirectsToT29(t *testing.T) {
	elsewhere := stranger(t).URL
	stays := func(err error) {
		t.Helper()
		require.Error(t, err)
		require.NotContains(t, err.Error(), elsewhere)
	}
	for _, status := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, status)
		}))
		defer server.Close()
		hub := hubOf(t, server.URL, &http.Transport{}, nil)
		_, err := must(t, hub, 1, repo).Pulls.Read(t.Context(), 1)
		stays(err)
		_, err = hub.Greet(t.Context())
		stays(err)
		_, err = hub.Web("id", "secret", "http://127.0.0.1/back").SignedIn(t.Context(), "code", "verifier")
		stays(err)
	}
}

package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKeysOfWorkflowsAreFetchedFromTheHostOfTheIssuerAlone has an issuer whose keys would be elsewhere.
func TestKeysOfWorkflowsAreFetchedFromTheHostOfTheIssuerAlone(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") }))
	defer elsewhere.Close()
	issuer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer issuer.Close()
	at, err := url.Parse(issuer.URL)
	require.NoError(t, err)
	wire := &issuerWire{issuer: at, clock: time.Now, asked: map[string]time.Time{}}
	for _, address := range []string{elsewhere.URL, strings.Replace(issuer.URL, "http:", "https:", 1)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/keys", nil)
		require.NoError(t, err)
		_, err = wire.RoundTrip(request) //nolint:bodyclose // there is no body
		require.ErrorContains(t, err, "another host")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, issuer.URL+"/keys", nil)
	require.NoError(t, err)
	response, err := wire.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
}

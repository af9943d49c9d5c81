package gh

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// someKey is the private key of an App outside the simulator.
var someKey = sync.OnceValue(func() []byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // unreachable while the system has randomness
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
})

const secretToken = "ghs_4711_eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

// alone is a GitHub that gives only the answers of a test, for answers that the simulator never gives. It also mints
// tokens and serves the App.
func alone(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/access_tokens"):
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token": %q, "expires_at": %q}`, secretToken, time.Now().Add(time.Hour).Format(time.RFC3339))
		case r.URL.Path == "/app":
			fmt.Fprint(w, `{"id": 4711, "slug": "waybill"}`)
		default:
			answer(w, r)
		}
	}
}

// dated has each answer tell the time of a clock, as GitHub's do.
func dated(now func() time.Time, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		answer(w, r)
	}
}

// wire serves such a GitHub on a real connection.
func wire(t *testing.T, answer http.HandlerFunc) (*Hub, *clock) {
	t.Helper()
	c := &clock{now: noon}
	server := httptest.NewServer(dated(c.Now, alone(answer)))
	t.Cleanup(server.Close)
	return hubOf(t, server.URL, &http.Transport{}, c.Now), c
}

// inMemory serves such a GitHub without a connection, for tests in a synctest bubble.
func inMemory(t *testing.T, answer http.HandlerFunc) *Hub {
	t.Helper()
	return hubOf(t, "http://github.invalid", direct{alone(answer)}, time.Now)
}

type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

func hubOf(t *testing.T, url string, transport http.RoundTripper, now func() time.Time) *Hub {
	t.Helper()
	hub, err := New(Config{
		V3URL: url, V4URL: url + "/graphql", WebURL: url, AppID: 4711, PrivateKey: someKey(), Clock: now,
		Transport: transport,
	})
	require.NoError(t, err)
	hub.nap = func(context.Context, time.Duration) error { return nil }
	return hub
}

// clientOf returns a client of acme/app on such a GitHub.
func clientOf(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	hub, _ := wire(t, answer)
	return must(t, hub, 1, repo)
}

func must(t *testing.T, hub *Hub, installation int64, name string) *Client {
	t.Helper()
	c, err := hub.Installation(installation, promotion.Repo(name))
	require.NoError(t, err)
	return c
}

// paged serves a list as GitHub does, in pages with a Link to the next one. It counts the pages.
func paged(form string, items []string, pages *int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*pages++
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		page = max(page, 1)
		from, to := min((page-1)*size, len(items)), min(page*size, len(items))
		if to < len(items) {
			w.Header().Set("Link",
				fmt.Sprintf(`<http://%s%s?page=%d&per_page=%d>; rel="next"`, r.Host, r.URL.Path, page+1, size))
		}
		fmt.Fprintf(w, form, strings.Join(items[from:to], ","))
	}
}

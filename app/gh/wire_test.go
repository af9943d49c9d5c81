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

// someKey is the private key of an App that is not in a simulator.
var someKey = sync.OnceValue(func() []byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // unreachable unless there is no randomness
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
})

const secretToken = "ghs_4711_eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

// wire is a GitHub that answers what a test says and nothing else, for answers that the simulator never gives. It mints
// tokens and knows the App.
func wire(t *testing.T, answer http.HandlerFunc) (*Hub, *clock) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/access_tokens"):
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token": %q, "expires_at": %q}`, secretToken, time.Now().Add(time.Hour).Format(time.RFC3339))
		case r.URL.Path == "/app":
			fmt.Fprint(w, `{"id": 4711, "slug": "waybill"}`)
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	c := &clock{now: noon}
	hub, err := New(Config{
		V3URL: server.URL, V4URL: server.URL + "/graphql", AppID: 4711, PrivateKey: someKey(), Clock: c.Now, Transport: &http.Transport{},
	})
	require.NoError(t, err)
	hub.nap = func(context.Context, time.Duration) error { return nil }
	return hub, c
}

// clientOf is a client of acme/app on such a GitHub.
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

// paged serves a list as GitHub does, in pages with a Link to the next one. It counts them.
func paged(form string, items []string, pages *int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*pages++
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		from, to := min((page-1)*size, len(items)), min(page*size, len(items))
		if to < len(items) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d&per_page=%d>; rel="next"`, r.Host, r.URL.Path, page+1, size))
		}
		fmt.Fprintf(w, form, strings.Join(items[from:to], ","))
	}
}

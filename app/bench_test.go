package app_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/handlers"
	"waybill/store"
)

const (
	secret = "a secret of the benchmark"
	// connections is the number of clients that post at a time. Each client posts each deliveries in a round.
	connections, each = 64, 32
	// rounds is the number of rounds of each server in one operation.
	rounds = 8
)

// BenchmarkAcknowledgement measures how many signed deliveries of 10 KB a second are acknowledged to 64 connections: by
// a handler that does the minimum, by Waybill with an inbox that stores nothing, by Waybill with its database, and by
// an App on go-githubapp's asynchronous scheduler, which acknowledges deliveries that a crash would lose. The servers
// run in turn and share the processors with the clients, so only the ratios are meaningful.
func BenchmarkAcknowledgement(b *testing.B) {
	load := newLoad(b)
	least := load.of(http.HandlerFunc(readAndVerify))
	forgets := load.of(forgetful(b))
	durable := load.of(durableHook(b))
	parsed := make(parsing, connections*each)
	scheduled := load.of(githubapp.NewEventDispatcher([]githubapp.EventHandler{parsed}, secret,
		githubapp.WithScheduler(githubapp.AsyncScheduler())))
	turn := func() {
		least.round()
		forgets.round()
		durable.round()
		scheduled.round()
		parsed.wait(connections * each)
	}
	turn() // with cold caches, an empty database and a small heap
	for _, t := range []*target{least, forgets, durable, scheduled} {
		t.took, t.counted = 0, 0
	}
	for b.Loop() {
		for range rounds {
			turn()
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(least.rate(), "least/s")
	b.ReportMetric(forgets.rate(), "forgetful/s")
	b.ReportMetric(durable.rate(), "durable/s")
	b.ReportMetric(scheduled.rate(), "go-githubapp/s")
	b.ReportMetric(durable.rate()/least.rate(), "durable:least")
	b.ReportMetric(durable.rate()/forgets.rate(), "durable:forgetful")
	b.ReportMetric(durable.rate()/scheduled.rate(), "durable:go-githubapp")
}

// readAndVerify is the minimum that any webhook handler must do.
func readAndVerify(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	given, _ := hex.DecodeString(strings.TrimPrefix(r.Header.Get("X-Hub-Signature-256"), "sha256="))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// oblivion is an inbox that stores nothing.
type oblivion struct{}

func (oblivion) Accept(context.Context, handlers.Delivery) (bool, error) { return true, nil }

// forgetful is Waybill's webhook without storage.
func forgetful(b *testing.B) http.Handler {
	hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: oblivion{}})
	require.NoError(b, err)
	return hook
}

// durableHook is Waybill's webhook with its database. No worker handles its deliveries.
func durableHook(b *testing.B) http.Handler {
	db, err := store.Open(b.Context(), "sqlite://"+filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	registry := prometheus.NewRegistry()
	hook, err := app.New(app.Options{Store: db, Clock: time.Now, Metrics: registry}).Handler(
		handlers.Options{Secret: secret}, config.Slack{}, registry, http.NotFoundHandler(),
	)
	require.NoError(b, err)
	return hook
}

// parsing does the minimal work of an App on go-githubapp's own schedulers. It reports each handled delivery.
type parsing chan struct{}

func (parsing) Handles() []string { return []string{"check_run"} }

func (p parsing) Handle(_ context.Context, event, _ string, payload []byte) error {
	_, err := github.ParseWebHook(event, payload)
	p <- struct{}{}
	return err
}

// wait waits until n deliveries have been handled.
func (p parsing) wait(n int) {
	for range n {
		<-p
	}
}

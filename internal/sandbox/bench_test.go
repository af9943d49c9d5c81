package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/internal/githubsim"
)

// BenchmarkFirstRequest measures how soon an idle Waybill sends its first request to GitHub after the webhook of a
// merged pull request was sent, and after Waybill has acknowledged it. One operation is fifty pull requests.
func BenchmarkFirstRequest(b *testing.B) {
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, github.Close()) })
	_, err = found(github)
	require.NoError(b, err)
	w := &watch{first: make(chan time.Time, 1), acknowledged: make(chan [2]time.Time, 1)}
	p, err := start(zerolog.Nop().WithContext(b.Context()), github,
		settings(github, filepath.Join(b.TempDir(), "waybill.db")), app.World{Wire: w})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, p.kill()) })
	relay := httptest.NewServer(w.relay(p.url))
	defer relay.Close()
	github.SetWebhookURL(relay.URL + "/api/github/hook")

	var sinceSent, sinceAcknowledged []time.Duration
	for i := range 50 * b.N {
		n, err := github.OpenPull(sourceRepo, githubsim.PullSpec{
			Title: "A change", Head: fmt.Sprint("change-", i), Author: "ann",
			Files: map[string]*string{"services/api/main.go": githubsim.Text(fmt.Sprintf("package main // %d\n", i))},
		})
		require.NoError(b, err)
		require.NoError(b, github.Settle(b.Context()))
		_, err = p.rest(b.Context())
		require.NoError(b, err)
		w.armed.Store(true)
		_, err = github.MergePull(sourceRepo, n, "ann", "squash")
		require.NoError(b, err)
		times, first := <-w.acknowledged, <-w.first
		sinceSent = append(sinceSent, first.Sub(times[0]))
		sinceAcknowledged = append(sinceAcknowledged, max(0, first.Sub(times[1])))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(sinceAcknowledged, 50), "ms-p50-since-acknowledged")
	b.ReportMetric(milliseconds(sinceAcknowledged, 99), "ms-p99-since-acknowledged")
	b.ReportMetric(milliseconds(sinceSent, 50), "ms-p50-since-sent")
}

// milliseconds returns a percentile in milliseconds.
func milliseconds(all []time.Duration, percent int) float64 {
	slices.Sort(all)
	return float64(all[len(all)*percent/100]) / float64(time.Millisecond)
}

// watch records the times of one webhook and of the first request after it.
type watch struct {
	armed        atomic.Bool // watch the next webhook of a closed pull request
	waiting      atomic.Bool // this webhook has been sent: record the next request
	acknowledged chan [2]time.Time
	first        chan time.Time
}

// RoundTrip implements http.RoundTripper on the way to GitHub.
func (w *watch) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.waiting.CompareAndSwap(true, false) {
		w.first <- time.Now()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// relay passes on webhooks of closed pull requests and drops all others, so that only one webhook at a time leads to
// requests.
func (w *watch) relay(url string) http.HandlerFunc {
	return func(answer http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("X-GitHub-Event") != "pull_request" ||
			!bytes.Contains(body, []byte(`"action":"closed"`)) {
			answer.WriteHeader(http.StatusAccepted)
			return
		}
		watched := w.armed.CompareAndSwap(true, false)
		w.waiting.CompareAndSwap(false, watched)
		answer.WriteHeader(w.pass(url+r.URL.Path, r.Header, body, watched))
	}
}

// pass sends a webhook to Waybill and returns its answer.
func (w *watch) pass(url string, header http.Header, body []byte, watched bool) int {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return http.StatusInternalServerError
	}
	request.Header = header.Clone()
	sent := time.Now()
	response, err := http.DefaultClient.Do(request)
	if watched {
		w.acknowledged <- [2]time.Time{sent, time.Now()}
	}
	if err != nil {
		return http.StatusBadGateway
	}
	defer response.Body.Close()
	return response.StatusCode
}

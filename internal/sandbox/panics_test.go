package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// bug is a transport to GitHub that panics on some requests.
type bug struct {
	hits  func(*http.Request) bool
	times atomic.Int32
}

// RoundTrip panics, or passes the request on.
func (b *bug) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.hits(r) && b.times.Add(-1) >= 0 {
		var list []string
		_ = list[len(r.URL.Path)]
	}
	return http.DefaultTransport.RoundTrip(r)
}

// buggy restarts the program so that requests to a path panic that many times. It returns the program's log.
func (s *site) buggy(times int32, method, path string) *bytes.Buffer {
	s.t.Helper()
	return s.buggyIf(times, func(r *http.Request) bool { return r.Method == method && strings.Contains(r.URL.Path, path) })
}

// buggyIf is like buggy for the requests for which hits returns true.
func (s *site) buggyIf(times int32, hits func(*http.Request) bool) *bytes.Buffer {
	s.t.Helper()
	b := &bug{hits: hits}
	b.times.Store(times)
	s.wire.next = b
	log := new(bytes.Buffer)
	s.ctx = zerolog.New(zerolog.SyncWriter(log)).WithContext(context.WithoutCancel(s.ctx))
	s.do("restart")
	return log
}

// metric returns the value of a metric, or "".
func (s *site) metric(name string) string {
	s.t.Helper()
	answer, err := http.Get(s.program.url + "/metrics")
	require.NoError(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name+" ") {
			return strings.TrimSpace(strings.TrimPrefix(line, name))
		}
	}
	return ""
}

// deliveries lists the deliveries in a state.
func (s *site) deliveries(state store.DeliveryState) (all []store.Delivery) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Inbox.DeliveriesBefore(state, 0, 100)
		return err
	}))
	return all
}

// TestABugInOneDeliveryParksItAndNoOtherT20 has the program panic on the files of one pull request.
func TestABugInOneDeliveryParksItAndNoOtherT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	log := s.buggy(1, http.MethodGet, "/pulls/1/files")
	s.do("merge #1 by ann", "merge #2 by ann")
	require.Equal(t, []string{"p1 api#2 dev verifying"}, s.states("dev"), "the others go on")
	parked := s.deliveries(store.DeliveryParked)
	require.Len(t, parked, 1)
	require.Equal(t, 1, parked[0].Attempts)
	require.Contains(t, parked[0].Error, "panic: runtime error: index out of range")
	require.Equal(t, "1", s.metric(`waybill_panics_total{where="delivery"}`))
	require.Equal(t, "1", s.metric("waybill_deliveries_parked_total"))
	require.Contains(t, log.String(), "panics_test.go", "the log says where")
	require.NotContains(t, log.String(), s.github.WebhookSecret())
	require.NotContains(t, log.String(), "pull_request\\\":", "nor does it quote the body")

	require.NoError(t,
		s.program.store.Update(s.ctx, func(tx *store.Tx) error { return tx.Inbox.ReplayDelivery(parked[0].ID) }))
	s.program.WakeAll()
	s.quiet()
	require.Empty(t, s.deliveries(store.DeliveryParked), "once the bug is gone, it can be replayed")
}

// TestABugInAnEffectKeepsTheEffect has the program panic while it makes a promotion's commit.
func TestABugInAnEffectKeepsTheEffect(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.buggy(3, http.MethodPost, "/git/trees")
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev running"}, s.states("dev"))
	s.do(retry)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, "3", s.metric(`waybill_panics_total{where="effect"}`))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

// TestABugInAViewKeepsTheView has the program panic while it creates a check run.
func TestABugInAViewKeepsTheView(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.buggyIf(2, func(r *http.Request) bool {
		if r.GetBody == nil {
			return false
		}
		body, err := r.GetBody()
		require.NoError(t, err)
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		return bytes.Contains(text, []byte("createCheckRun"))
	})
	s.do("merge #1 by ann", retry, "check smoke success on dev", retry)
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, "2", s.metric(`waybill_panics_total{where="view"}`))
	require.Equal(t, 1, s.github.CountRequests(asked["check"]))
}

// TestADeliveryWaitsForAsLongAsGitHubIsDownF28 has GitHub fail for longer than the limit for retries of a delivery.
func TestADeliveryWaitsForAsLongAsGitHubIsDownF28(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.fails(asked["files"], http.StatusBadGateway)
	s.do("merge #1 by ann", "wait 6h")
	require.Empty(t, s.deliveries(store.DeliveryParked))
	require.Empty(t, s.states("dev"))
	s.github.Faults().Clear()
	s.do(retry)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestADeliveryThatGitHubRefusesIsParkedAfterSomeHours has GitHub answer 422, which a person may correct meanwhile.
func TestADeliveryThatGitHubRefusesIsParkedAfterSomeHours(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.fails(asked["files"], http.StatusUnprocessableEntity)
	s.do("merge #1 by ann", "wait 2h")
	require.Empty(t, s.deliveries(store.DeliveryParked))
	s.do("wait 1h")
	require.Len(t, s.deliveries(store.DeliveryParked), 1)
}

// fails makes a request fail until the faults are cleared.
func (s *site) fails(route githubsim.Route, status int) {
	s.github.Faults().FailNext(route, githubsim.Fault{Status: status, Times: -1})
}

// TestABugInAResyncIsAFailedResync has the program panic while it lists merged pull requests.
func TestABugInAResyncIsAFailedResync(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.buggy(1, http.MethodGet, "/pulls")
	s.do("wait 11h")
	require.Equal(t, "1", s.metric(`waybill_panics_total{where="resync"}`))
	s.view(func(tx *store.Tx, pipeline int64) error {
		row, err := tx.Pipelines.ByID(pipeline)
		require.Zero(t, row.ResyncFailures, "it was tried again")
		return err
	})
}

package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// TestAfterAShortOutageAResyncComesFirst has 150 statuses, a merge and a hold of a stage missed in five minutes. A
// redelivery of the merge alone would come after two and a half minutes, one of the hold behind it.
func TestAfterAShortOutageAResyncComesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+`  qa: {from: api, set: {qa.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`)
	s.away()
	s.github.FailWebhooks(1000, http.StatusBadGateway)
	var failed error
	for i := range 150 {
		failed = errors.Join(failed, s.github.CreateStatus(home, "main", "admin", fmt.Sprint("ci/", i), "success", ""))
	}
	require.NoError(t, failed)
	require.NoError(t, s.merge(1)())
	_, failed = s.github.Comment(home, 1, "ann", "/hold qa")
	require.NoError(t, failed)
	require.Error(t, s.github.Settle(s.ctx))
	s.github.HearWebhooks()
	s.clock.set(s.clock.Now().Add(5 * time.Minute))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours(), "at once, and not into qa")
	require.True(t, s.held("qa"))
	require.LessOrEqual(t, s.asks(), 1)
	s.do("wait 1s")
	require.NotContains(t, s.missedEvents(), "issue_comment", "what people have written comes first")
	s.do("wait 10m")
	require.Empty(t, s.missed())
	require.Equal(t, []string{"p1 api#1 dev verifying", "p2 api#1 qa queued"}, s.states("dev", "qa"),
		"the redelivery changes nothing")
}

// missedEvents lists the events that GitHub has not been asked for yet.
func (s *site) missedEvents() (events []string) {
	for _, m := range s.missed() {
		if m.Tries == 0 {
			events = append(events, m.Event)
		}
	}
	return events
}

// TestAResyncThatNeverEndsHoldsItsPipelineUpForHalfAnHour has GitHub fail, for ever, to tell of the signals of commits.
// A hold that was given while the server was away is known before anything starts.
func TestAResyncThatNeverEndsHoldsItsPipelineUpForHalfAnHour(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+`  qa: {from: api, set: {qa.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`)
	s.do("merge #1 by ann")
	s.away()
	s.deaf(s.merge(2))
	s.deaf(func() error {
		_, err := s.github.Comment(home, 1, "ann", "/hold qa")
		return err
	})
	s.fails(githubsim.Route{Path: "/repos/{owner}/{repo}/commits/{ref}/check-suites"}, http.StatusBadGateway)
	s.clock.set(s.clock.Now().Add(time.Hour))
	require.NoError(t, s.restart(s.ctx))
	s.do("wait 30m")
	require.False(t, s.pipelineRow().Stale.IsZero(), "it may still be told")
	s.view(func(tx *store.Tx, pipeline int64) error {
		known, err := tx.Freight.Newest(pipeline, "api", 10)
		require.Len(t, known, 2, "what could be read is recorded")
		return err
	})
	require.False(t, s.held("qa"), "nothing is decided")
	s.do("wait 20m")
	require.True(t, s.pipelineRow().Stale.IsZero())
	require.NotEmpty(t, s.pipelineRow().ResyncError)
	require.True(t, s.held("qa"))
}

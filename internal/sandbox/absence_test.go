package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// TestWorkGoesOnAsSoonAsGitHubAnswersAgain has GitHub be out of order for 40 minutes while ten promotions are under
// way. Meanwhile they are not tried again and again.
func TestWorkGoesOnAsSoonAsGitHubAnswersAgain(t *testing.T) {
	t.Parallel()
	const n = 10
	s := newSite(t, wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	outage := githubsim.Fault{Status: http.StatusServiceUnavailable, Times: -1}
	s.github.Faults().FailNext(asked["tree"], githubsim.Fault{
		Before: func() { s.github.Faults().FailNext(githubsim.Route{}, outage) },
	})
	s.do("merge #1 by ann", "wait 40m")
	require.Empty(t, s.ours())
	s.view(func(tx *store.Tx, pipeline int64) error {
		for p := range promotion.Number(n) {
			effects, err := tx.Outbox.EffectsOf(pipeline, p+1)
			if err != nil {
				return err
			}
			for _, e := range effects {
				require.LessOrEqual(t, e.Attempts, 5, e.Key())
			}
		}
		return nil
	})
	s.github.Faults().Clear()
	s.do("wait 30s") // the longest time until GitHub is asked again
	require.Len(t, s.ours(), n)
	for _, pull := range s.ours() {
		require.Contains(t, pull, ": merged")
	}
}

// TestAHoldOfWhichAnOutageToldNothingIsKnownBeforeWorkGoesOn: its webhook was lost in an outage of GitHub's.
func TestAHoldOfWhichAnOutageToldNothingIsKnownBeforeWorkGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["tree"], githubsim.Fault{Before: func() {
		s.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	}})
	s.do("merge #1 by ann", "wait 20m")
	s.deaf(func() error {
		_, err := s.github.Comment(home, 1, "ann", "/hold dev")
		return err
	})
	s.github.Faults().Clear()
	s.do("wait 10m")
	require.Equal(t, []string{"Promote api#1 to dev: open"}, s.ours())
	s.do("comment #1 by ann: /unhold dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

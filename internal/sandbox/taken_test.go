package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestARepositoryThatIsTakenAwayInTheMiddleFailsNoPromotion has the App lose the repository with each of the requests that
// carry a promotion out. Its token lives on, and GitHub says of everything there that it is not found.
func TestARepositoryThatIsTakenAwayInTheMiddleFailsNoPromotionF34(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pipeline string
		at       githubsim.Route
	}{
		"plan":     {oneStage, routes[promotion.Observe]},
		"open":     {oneStage, routes[promotion.Open]},
		"merge":    {oneStage, routes[promotion.Merge]},
		"tree":     {directly, makeTree},
		"commit":   {directly, makeCommit},
		"branch":   {directly, moveBranch},
		"workflow": {dispatching, startWorkflow},
		"runs":     {dispatching, listRuns},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.pipeline)
			lost := false
			s.github.Faults().FailNext(c.at, githubsim.Fault{Before: func() {
				s.github.LoseWebhooks(true)
				lost = s.github.ReachRepo(home, false) == nil
			}})
			s.do("merge #1 by ann", "wait 20m")
			require.True(t, lost)
			require.NotContains(t, s.states("dev"), "p1 api#1 dev failed")
			require.NoError(t, s.github.ReachRepo(home, true))
			s.do("deliver webhooks", "wait 20m")
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
		})
	}
}

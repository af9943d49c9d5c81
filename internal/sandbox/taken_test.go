package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestARepositoryThatIsTakenAwayInTheMiddleFailsNoPromotionF34 takes the repository from the App at each request that
// carries out a promotion. The token stays valid, and GitHub answers 404 for everything in the repository.
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

// TestWhatIsElsewhereDoesNotWaitForARepositoryThatIsOutOfReachF34: a resync reads the other repositories, names the one
// it cannot reach, and reads that one as soon as it can be reached again.
func TestWhatIsElsewhereDoesNotWaitForARepositoryThatIsOutOfReachF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.ReachRepo(europe, false))
	s.do("merge #2 by ann", "check smoke success on eu", "wait 10h")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p3 api#2 dev verifying"}, s.states("dev"))
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
	require.Contains(t, s.pipelineRow().ResyncError, "the App does not reach "+europe+"; the rest has been looked at")
	require.NoError(t, s.github.ReachRepo(europe, true))
	s.do("wait 1h")
	require.Equal(t, []string{"p2 api#1 eu succeeded"}, s.states("eu"))
	require.Empty(t, s.pipelineRow().ResyncError)
}

// TestAPullRequestThatWaitsIsNotLetThroughBecauseItsRepositoryIsOutOfReachF34: its check run stays in progress.
func TestAPullRequestThatWaitsIsNotLetThroughBecauseItsRepositoryIsOutOfReachF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "guard: true, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	sha := s.byHand(europe, "main")
	require.Equal(t, []string{"in_progress "}, s.rulingsOfEurope(europe, sha))
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.ReachRepo(europe, false))
	s.do("wait 10h")
	require.NotEmpty(t, s.pipelineRow().ResyncError)
	require.NoError(t, s.github.ReachRepo(europe, true))
	for range 12 {
		s.do("wait 5m")
		require.Equal(t, []string{"in_progress "}, s.rulingsOfEurope(europe, sha))
	}
	require.Empty(t, s.pipelineRow().ResyncError)
}

package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestAPullRequestThatIsOverOffersNoSignOffThoughItsFreightIsPromotedAgain cancels a promotion that waits for a
// sign-off, and asks for another in the same comment.
func TestAPullRequestThatIsOverOffersNoSignOffThoughItsFreightIsPromotedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "verify: [smoke], approvals: 1", 1))
	s.do("merge #1 by ann", "wait 1m")
	first := s.pull(1)
	shown := func(p githubsim.Pull) (comment string, run githubsim.CheckRun) {
		for _, c := range s.github.Comments(home, p.Number) {
			if strings.Contains(c.Body, "| `dev` |") {
				comment = c.Body
			}
		}
		for _, r := range s.github.LatestCheckRuns(home, p.HeadSHA) {
			if r.Name == "waybill / dev" {
				run = r
			}
		}
		return comment, run
	}
	comment, run := shown(first)
	require.Contains(t, comment, "/approve dev")
	require.NotEmpty(t, run.Buttons)

	_, err := s.github.Comment(home, 1, "bob", "/cancel dev\n/promote dev")
	require.NoError(t, err)
	s.do("wait 1m")
	require.Equal(t, []string{"p1 api#1 dev cancelled", "p2 api#1 dev waiting-for-merge"}, s.states("dev"))
	comment, run = shown(first)
	require.NotContains(t, comment, "/approve dev")
	require.Contains(t, comment, "Cancelled")
	require.Equal(t, "cancelled", run.Conclusion)
	require.Empty(t, run.Buttons)
	comment, run = shown(s.pull(2))
	require.Contains(t, comment, "/approve dev")
	require.NotEmpty(t, run.Buttons)
}

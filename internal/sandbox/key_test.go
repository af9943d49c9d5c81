package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestWhileGitHubDoesNotTakeTheKeyEverythingWaits has the private key deleted at GitHub while a promotion is under way:
// there are no more tokens. With a new key what waited goes on, and what was merged meanwhile follows.
func TestWhileGitHubDoesNotTakeTheKeyEverythingWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "merge #2 by ann", "restart")
	s.github.Faults().FailNext(asked["token"], githubsim.Fault{Status: http.StatusUnauthorized, Times: -1})
	s.do("check smoke success on dev", "wait 2h")
	require.NotContains(t, s.ours(), "Promote api#2 to dev: merged")

	s.github.Faults().Clear()
	s.do("restart", "wait 1h")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged", "Promote api#2 to dev: merged"}, s.ours())
}

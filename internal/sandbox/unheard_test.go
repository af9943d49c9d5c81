package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestAPromotionIsMadeAnewAndMergedWithoutTheEventOfPullRequests: that Waybill has moved the branch itself it need not
// be told of.
func TestAPromotionIsMadeAnewAndMergedWithoutTheEventOfPullRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, ", verify: [smoke]", "", 1))
	require.NoError(t, s.github.Subscribe("pull_request", false))
	require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{
		UpToDate: true, RequiredChecks: []string{"ci"}, Bypass: []string{"ann", "admin"},
	}))
	s.do("merge #1 by ann", "resync", "wait 1m")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	_, err := s.github.PushFiles(home, "main", "admin", "Other", map[string]*string{"other": githubsim.Text("x\n")})
	require.NoError(t, err)
	s.quiet()
	passes := func() {
		for _, p := range s.github.Pulls(home) {
			if p.State == "open" {
				_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{Name: "ci", SHA: p.HeadSHA, Conclusion: "success"})
				require.NoError(t, err)
			}
		}
		s.quiet()
	}
	passes()
	s.do("wait 11m")
	passes()
	s.do("wait 11m")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestABusyBranchDoesNotKeepAVerificationForEver has a check stay silent while others push. What no webhook tells is
// asked of GitHub before the deadline counts; it fails now and then before all commits are read, as it does when there
// are more than it answers in the time of one try.
func TestABusyBranchDoesNotKeepAVerificationForEver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pushes, suites, failing int }{
		"50 commits":                         {50, 0, 20},
		"12 commits, too large for a digest": {12, 21, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.do("merge #1 by ann")
			s.ran("smoke", "in_progress", "")
			for i := range c.pushes {
				path := fmt.Sprintf("docs/%d", i)
				sha, err := s.github.PushFiles(home, "main", "admin", "Push", map[string]*string{path: githubsim.Text("x\n")})
				require.NoError(t, err)
				for suite := range c.suites {
					_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
						Name: "lint", SHA: sha, Suite: fmt.Sprint(suite), Conclusion: "success",
					})
					require.NoError(t, err)
				}
			}
			s.quiet()
			for i := range 40 {
				s.github.Faults().FailNext(githubsim.Route{
					Method: http.MethodGet, Path: "/repos/{owner}/{repo}/commits/{ref}/check-runs",
				}, githubsim.Fault{Status: http.StatusBadGateway, Nth: (i + 1) * c.failing})
			}
			s.do("wait 90m")
			require.Equal(t, []string{"p1 api#1 dev verification-failed"}, s.states("dev"))
			require.Less(t, s.github.Faults().Pending(), 40, "GitHub was asked for them")
		})
	}
}

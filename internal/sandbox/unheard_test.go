package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	onwire "waybill/internal/githubsim/wire"
)

// TestAPromotionIsMadeAnewAndMergedWithoutTheEventOfPullRequests: that Waybill has moved the branch itself it need not
// be told of. GitHub may show the pull request without the new commit at first.
func TestAPromotionIsMadeAnewAndMergedWithoutTheEventOfPullRequests(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"at once": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			madeAnewUnheard(t, late)
		})
	}
}

func madeAnewUnheard(t *testing.T, late bool) {
	s := newSite(t, strings.Replace(oneStage, ", verify: [smoke]", "", 1))
	require.NoError(t, s.github.Subscribe("pull_request", false))
	require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{
		UpToDate: true, RequiredChecks: []string{"ci"}, Bypass: []string{"ann", "admin"},
	}))
	s.do("merge #1 by ann", "resync", "wait 1m")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	stale := 0
	if late {
		moved := false
		s.github.Faults().NowAndThen(1, onwire.Chance{Of: 1, Fault: onwire.Fault{Stale: 5 * time.Second},
			Hits: func(r onwire.RecordedRequest) bool {
				moved = moved || slices.Contains(r.Fields, "updateRefs")
				if !moved || !strings.HasSuffix(r.Route, "/pulls/{pull_number}") {
					return false
				}
				moved, stale = false, stale+1
				return true
			}})
	}
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
	require.Equal(t, late, stale > 0)
	s.github.Faults().Clear()
	s.do("wait 10s")
	passes()
	s.do("wait 11m")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

package sandbox

import (
	"net/http"
	"testing"
	"time"

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

// TestAHoldThatComesWhileGitHubDoesNotSayWhoMayGiveItIsKnownBeforeWorkGoesOn: its webhook comes in the middle of an
// outage, or of a limit. It is asked again, and not refused for ever. Nothing is merged before.
func TestAHoldThatComesWhileGitHubDoesNotSayWhoMayGiveItIsKnownBeforeWorkGoesOn(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]func(*githubsim.Faults) githubsim.Fault{
		"outage": func(*githubsim.Faults) githubsim.Fault {
			return githubsim.Fault{Status: http.StatusServiceUnavailable, Times: -1}
		},
		"limit": func(f *githubsim.Faults) githubsim.Fault {
			return f.SecondaryLimit(http.StatusForbidden, 10*time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, oneStage)
			s.github.Faults().FailNext(asked["tree"], githubsim.Fault{Before: func() {
				s.github.Faults().FailNext(githubsim.Route{}, silent(s.github.Faults()))
			}})
			s.do("merge #1 by ann", "wait 5m", "comment #1 by ann: /hold dev", "wait 4m")
			require.Empty(t, s.ours())
			if name == "outage" {
				s.do("wait 11m")
				s.github.Faults().Clear()
			}
			s.do("wait 10m")
			require.Equal(t, []string{"Promote api#1 to dev: open"}, s.ours())
			reactions, _ := s.answered(1)
			require.Equal(t, map[string]int{"rocket": 1}, reactions)
			s.do("comment #1 by ann: /unhold dev")
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
		})
	}
}

// TestWhatWasToldWhileAccessWasLostIsFoundSoonAfterItReturns: GitHub refuses everything in the repository for three
// hours, and no webhook tells that it does not any more.
func TestWhatWasToldWhileAccessWasLostIsFoundSoonAfterItReturns(t *testing.T) {
	t.Parallel()
	for words, body := range map[string]string{
		"allow list": `{"message": "Although you appear to have the correct authorization credentials, the organization ` +
			`has an IP allow list enabled, and your IP address is not permitted to access this resource."}`,
		"blocked": `{"message": "Repository access blocked"}`,
	} {
		t.Run(words, func(t *testing.T) {
			s := newSite(t, oneStage)
			for _, route := range []string{"files", "read"} {
				s.github.Faults().FailNext(asked[route],
					githubsim.Fault{Status: http.StatusForbidden, Body: body, Times: -1})
			}
			s.do("merge #1 by ann", "wait 3h")
			s.github.Faults().Clear()
			s.do("wait 1h")
			require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
		})
	}
}

// TestAChangeWithoutADiffIsFreight: GitHub never works out which files the pull request touches. It keeps no resync
// from its end, and nothing that comes later.
func TestAChangeWithoutADiffIsFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["files"], githubsim.Fault{Status: http.StatusUnprocessableEntity, Times: -1, Body: `{
		"message": "Server Error: Sorry, this diff is taking too long to generate.",
		"errors": [{"resource": "PullRequest", "field": "diff", "code": "not_available"}],
		"documentation_url": "https://docs.github.com/rest"}`})
	s.deaf(s.merge(1))
	s.do("resync")
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	s.do("merge #2 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
}

package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// noPulls has GitHub refuse to create pull requests, with an unknown message. It still creates their branches.
func (s *site) noPulls() {
	s.github.Faults().FailNext(githubsim.Route{Field: "createPullRequest"}, githubsim.Fault{
		Times: -1, FieldError: &githubsim.FieldError{Field: "createPullRequest", Message: "The stars do not allow it."},
	})
}

// TestWhatGitHubRefusesIsShownMeanwhile in GitHub's words, in the check run and the comment, also after a restart.
func TestWhatGitHubRefusesIsShownMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.noPulls()
	s.do("merge #1 by ann", "wait 20m", "restart", "comment #1 by ann: /why dev")
	source, _ := s.github.Pull(home, 1)
	runs := s.github.CheckRuns(home, source.MergeSHA)
	require.Len(t, runs, 1)
	require.Contains(t, runs[0].Title, "GitHub refuses it at the moment: The stars do not allow it.")
	require.Contains(t, runs[0].Summary, "Waybill gives up at 2026-01-05 09:30 UTC if GitHub still refuses")
	comments := s.github.Comments(home, 1)
	require.Contains(t, comments[len(comments)-1].Body, "The stars do not allow it.")
	s.github.Faults().Clear()
	s.do("wait 6m")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestAPromotionThatEndsBeforeItsPullRequestLeavesNoBranch: it fails, or a person cancels it.
func TestAPromotionThatEndsBeforeItsPullRequestLeavesNoBranch(t *testing.T) {
	t.Parallel()
	for ends, state := range map[string]string{
		"wait 31m": "failed", "comment #1 by ann: /cancel dev": "cancelled",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.noPulls()
			s.do("merge #1 by ann")
			require.Len(t, s.branches(), 1)
			s.do(ends)
			require.Equal(t, []string{"p1 api#1 dev " + state}, s.states("dev"))
			require.Empty(t, s.branches())
			require.Empty(t, s.ours())
		})
	}
}

// TestABranchThatGitHubDoesNotDeleteIsDeletedLater: GitHub refuses it three times, for an unknown reason.
func TestABranchThatGitHubDoesNotDeleteIsDeletedLater(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.noPulls()
	s.do("merge #1 by ann")
	s.github.Faults().FailNext(githubsim.Route{Field: "updateRefs"}, githubsim.Fault{
		Times: 3, FieldError: &githubsim.FieldError{Field: "updateRefs", Message: "The stars do not allow it."},
	})
	s.do("comment #1 by ann: /cancel dev")
	require.Len(t, s.branches(), 1)
	s.do("wait 5m")
	require.Empty(t, s.branches())
}

// TestABranchThatIsNotOursStays: a person has created it under a promotion's name, so that the promotion fails.
func TestABranchThatIsNotOursStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.github.CreateBranch(home, "waybill/dev/api-1/1", "bob", "main"))
	s.do("merge #1 by ann", "wait 31m")
	require.Equal(t, []string{"p1 api#1 dev failed"}, s.states("dev"))
	require.Len(t, s.branches(), 1)
}

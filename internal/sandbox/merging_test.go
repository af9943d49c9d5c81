package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// newGuarded returns a site whose main branch requires the check ci, and where the pull request of p1 waits for it.
func newGuarded(t *testing.T) *site {
	t.Helper()
	s := newSite(t, oneStage)
	s.github.HoldWebhooks()
	s.do("merge #1 by ann")
	require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}}))
	s.github.ReleaseWebhooks()
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	return s
}

// unprotect removes the requirements of the main branch, so that people may push to it.
func (s *site) unprotect() {
	s.t.Helper()
	require.NoError(s.t, s.github.Protect(home, "main", githubsim.Protection{}))
}

func TestAMergeThatGitHubRefusesForAMomentIsMadeF18(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], s.github.Faults().BaseModified())
	s.do("merge #1 by ann", retry, "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	require.Equal(t, 2, s.merges())
}

func TestAMergeThatARuleForbidsWaitsForTheEventAndIsNotPolledF18(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	require.Equal(t, 1, s.merges())
	s.github.ForgetRequests()
	s.do("wait 24h")
	require.Zero(t, s.merges(), "nothing has changed for a day")
	s.passCI(1)
	require.Equal(t, 1, s.merges())
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestAForeignCommitOnAPromotionsBranchIsNeverMergedF7F14 has a person push to the branch that Waybill is about to
// merge. Neither this commit nor a success on it counts.
func TestAForeignCommitOnAPromotionsBranchIsNeverMergedF7F14(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	before := s.pull(1)
	_, err := s.github.PushFiles(home, before.HeadBranch, "ann", "Sneak in",
		map[string]*string{"secret.yaml": githubsim.Text("x: 1\n")})
	require.NoError(t, err)
	s.quiet()
	s.passCI(1)
	s.do("wait 10m", "resync")
	require.NotEqual(t, "merged", s.pull(1).State)
	require.NotContains(t, s.github.Files(home, "main"), "secret.yaml")
	for _, p := range s.states("dev") {
		require.NotContains(t, p, "verifying")
		require.NotContains(t, p, "succeeded")
	}
}

// TestABranchThatAPersonForcesOrDeletesIsNeverMergedF14 has a person replace the commits of the branch by a force push,
// and delete the branch, which declines the promotion.
func TestABranchThatAPersonForcesOrDeletesIsNeverMergedF14(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	tried := s.merges()
	_, err := s.github.ForcePush(home, s.pull(1).HeadBranch, "ann", "Sneak in",
		map[string]*string{"secret.yaml": githubsim.Text("x: 1\n")})
	require.NoError(t, err)
	s.quiet()
	s.passCI(1)
	s.do("wait 10m", "resync")
	require.NotContains(t, s.github.Files(home, "main"), "secret.yaml")
	require.Equal(t, tried, s.merges())

	s = newGuarded(t)
	require.NoError(t, s.github.DeleteBranch(home, s.pull(1).HeadBranch, "ann"))
	s.do("wait 10m", "resync")
	require.Equal(t, []string{"p1 api#1 dev declined"}, s.states("dev"))
	require.Empty(t, s.branches(), "it is not made again")
}

// TestADraftAndWhatGoesElsewhereIsNotMergedT4 has a person turn a promotion's pull request into a draft, and change its
// base branch.
func TestADraftAndWhatGoesElsewhereIsNotMergedT4(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	require.NoError(t, s.github.SetDraft(home, s.pull(1).Number, "ann", true))
	s.quiet()
	s.passCI(1)
	s.do("wait 10m", "resync")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.NoError(t, s.github.SetDraft(home, s.pull(1).Number, "ann", false))
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))

	s = newGuarded(t)
	tried := s.merges()
	_, err := s.github.PushFiles(home, "other", "ann", "Begin", map[string]*string{"other.yaml": githubsim.Text("x: 1\n")})
	require.NoError(t, err)
	require.NoError(t, s.github.RetargetPull(home, s.pull(1).Number, "ann", "other"))
	s.quiet()
	s.passCI(1)
	s.do("wait 10m", "resync")
	require.Equal(t, tried, s.merges())
	require.Equal(t, "open", s.pull(1).State)
}

// TestWhatGoesElsewhereAndConflictsThereIsLeftAloneT4 has a person turn a promotion's pull request to a branch that
// writes the same line otherwise.
func TestWhatGoesElsewhereAndConflictsThereIsLeftAloneT4(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	shown := s.pull(1)
	_, err := s.github.PushFiles(home, "other", "ann", "Begin", map[string]*string{"dev.yaml": githubsim.Text("tag: x\n")})
	require.NoError(t, err)
	require.NoError(t, s.github.RetargetPull(home, shown.Number, "ann", "other"))
	s.quiet()
	for range 2 {
		s.do("wait 10m", "resync")
		require.Equal(t, shown.HeadSHA, s.pull(1).HeadSHA, "it is not made anew")
		require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	}
	s.do("comment #1 by ann: /why dev")
	_, says := s.answered(1)
	require.Contains(t, asSeen(says), "its pull request goes into another branch: set it back to main, or close it")
}

// TestAPushInTheMomentOfTheMergeIsNotMergedF18 pushes after Waybill has sent the request to merge. The request names
// the commit that Waybill made.
func TestAPushInTheMomentOfTheMergeIsNotMergedF18(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	s.github.Faults().FailNext(asked["merge"], githubsim.Fault{Before: func() {
		for _, branch := range s.branches() {
			_, err := s.github.PushFiles(home, branch, "ann", "Sneak in",
				map[string]*string{"secret.yaml": githubsim.Text("x: 1\n")})
			require.NoError(t, err)
		}
	}})
	s.do("merge #1 by ann", "wait 10m", "resync")
	require.NotContains(t, s.github.Files(home, "main"), "secret.yaml")
	require.Equal(t, "none", s.hosts("dev.yaml"))
	require.LessOrEqual(t, s.merges(), 5,
		"GitHub tells whole seconds: in the second of our own push, one of others looks like lag for a few tries")
}

// TestABaseThatMovesKeepsWhatOthersWroteF15F16 pushes to the main branch while a pull request is open: to another file,
// which needs no action, and to the stage's own file, after which Waybill makes the commit anew on the new base.
func TestABaseThatMovesKeepsWhatOthersWroteF15F16(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"elsewhere": "README.md", "in the stage's file": "dev.yaml"} {
		t.Run(name, func(t *testing.T) {
			s := newGuarded(t)
			s.unprotect()
			s.github.HoldWebhooks() // Waybill sees the next two changes at once
			s.do("push " + path + " by bob")
			require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}}))
			s.github.ReleaseWebhooks()
			s.quiet()
			s.passCI(1)
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			require.Len(t, s.ours(), 1)
			text, _ := s.github.File(home, "main", path)
			require.Contains(t, text, "# by-bob-1")
			stage, _ := s.github.File(home, "main", "dev.yaml")
			require.Contains(t, stage, s.source(1))
		})
	}
}

// TestALatePushToAMergedBranchMakesNoSecondPullRequestF21 has GitHub delete the branch after the merge and a person
// push to it again.
func TestALatePushToAMergedBranchMakesNoSecondPullRequestF21(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.github.SetSettings(home, githubsim.RepoSettings{DeleteBranchOnMerge: true}))
	s.do("merge #1 by ann")
	require.Empty(t, s.branches())
	_, err := s.github.PushFiles(home, s.pull(1).HeadBranch, "ann", "Late",
		map[string]*string{"late.yaml": githubsim.Text("x: 1\n")})
	require.NoError(t, err)
	s.quiet()
	s.do("resync", "check smoke success on dev", "wait 24h")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	require.NotContains(t, s.github.Files(home, "main"), "late.yaml")
}

// TestWhatPeopleDoToAPromotionsPullRequestIsADecisionF12F13 closes a pull request, and merges one by each method.
func TestWhatPeopleDoToAPromotionsPullRequestIsADecisionF12F13(t *testing.T) {
	t.Parallel()
	t.Run("closed", func(t *testing.T) {
		s := newGuarded(t)
		s.do("close p1 by bob", "resync", "restart", "wait 24h")
		require.Equal(t, []string{"p1 api#1 dev declined"}, s.states("dev"))
		require.Equal(t, []string{"Promote api#1 to dev: closed"}, s.ours())
	})
	for _, method := range []string{"merge", "squash", "rebase"} {
		t.Run(method, func(t *testing.T) {
			s := newGuarded(t)
			s.unprotect()
			require.NoError(t, s.meet("bob"))
			sha, err := s.github.MergePull(home, s.pull(1).Number, "bob", method)
			require.NoError(t, err)
			s.quiet()
			s.do("check smoke success on dev")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
			require.Equal(t, promotion.SHA(sha), s.promoted(1).MergeSHA)
		})
	}
}

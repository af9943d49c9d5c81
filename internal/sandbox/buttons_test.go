package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// run returns the newest check run of a stage on the source commit of a pull request.
func (s *site) run(n int, stage string) (found githubsim.CheckRun) {
	s.t.Helper()
	p, _ := s.github.Pull(home, n)
	for _, run := range s.github.CheckRuns(home, p.MergeSHA) {
		if run.App == "waybill" && run.Name == "waybill / "+stage && run.ID > found.ID {
			found = run
		}
	}
	require.NotZero(s.t, found.ID)
	return found
}

// press presses a button and waits for the consequences.
func (s *site) press(run int64, login, button string) {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(login)))
	require.NoError(s.t, s.github.PressButton(home, run, login, button))
	s.quiet()
}

func TestButtonsFitTheStateAndDoWhatTheySayT18(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann")
	require.Empty(t, s.run(2, "dev").Buttons, "it is verifying")
	s.do("check smoke failure on dev")
	require.Equal(t, []string{"rollback", "retry", "hold"}, s.run(2, "dev").Buttons)

	s.press(s.run(2, "dev").ID, "bob", "rollback")
	require.Equal(t, "p4 api#1 dev verifying", s.states("dev")[2])
	require.Equal(t, "bob", string(s.promoted(4).By.Login))
	require.Empty(t, s.told(1))
}

func TestNoRollbackIsOfferedThatWouldBringNothingBack(t *testing.T) { // semantics 4.11
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Empty(t, s.run(1, "dev").Buttons, "there is nothing older")
	s.do("merge #2 by ann", "check smoke success on dev")
	require.Equal(t, []string{"rollback", "hold"}, s.run(2, "dev").Buttons)
	require.Equal(t, []string{"rollback", "hold"}, s.run(1, "dev").Buttons, "it has left")
	s.do("comment #2 by bob: /hold dev", "wait 1m")
	require.Empty(t, s.run(2, "dev").Buttons, "a hold would refuse it")
}

// TestViewsOfWhatAStageHostsFollowItHoweverOldItIs has more freight arrive than has views that follow it.
func TestViewsOfWhatAStageHostsFollowItHoweverOldItIs(t *testing.T) { // semantics 4.14
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "comment #1 by bob: /hold dev")
	for n := range 21 {
		s.do(fmt.Sprintf("merge #%d by ann", n+2))
	}
	require.Equal(t, "success", s.run(1, "dev").Conclusion)
	s.do("check smoke failure on dev", "wait 1m")
	require.Equal(t, "failure", s.run(1, "dev").Conclusion)
	p, _ := s.github.Pull(home, 1)
	require.Contains(t, p.Labels, "stage/dev:failed")
}

// TestWhoReviewsAPromotionSignsOffOnItsChecksPage checks that a promotion's own pull request has a check run while it
// waits for sign-offs.
func TestWhoReviewsAPromotionSignsOffOnItsChecksPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "verify: [smoke], approvals: 1", 1))
	s.do("merge #1 by ann", "wait 1m")
	head := func() githubsim.CheckRun {
		pulls := s.github.Pulls(home)
		runs := s.github.LatestCheckRuns(home, pulls[len(pulls)-1].HeadSHA)
		require.Len(t, runs, 1)
		return runs[0]
	}
	require.Equal(t, "waybill / dev", head().Name)
	require.Equal(t, "neutral", head().Conclusion)
	signs := "approve " + s.pull(1).HeadSHA[:12]
	require.Equal(t, []string{signs, "deny", "hold"}, head().Buttons, "it names the commit that is shown")
	s.press(head().ID, "bob", signs)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, "success", head().Conclusion)
}

func TestAButtonIsRefusedOnItsRunAndWithoutACommentT18(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke failure on dev", "grant eve read")
	run := s.run(1, "dev")
	said := len(s.told(1))
	s.press(run.ID, "eve", "hold")
	require.Contains(t, s.run(1, "dev").Summary, "**eve** pressed `hold`")
	require.Contains(t, s.run(1, "dev").Summary, "Refused: that needs write permission")
	require.Len(t, s.told(1), said)
	s.do("merge #2 by ann")
	require.Equal(t, "p2 api#2 dev verifying", s.states("dev")[1], "it is not held")
}

func TestTheSummaryOfAReviewMayHoldButNotPromote(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1m")
	s.do("comment #2 by ann: hello")
	require.NoError(t, s.meet("bob"))
	require.NoError(t, s.github.Review(home, 2, "bob", "COMMENTED", "/promote prod api#1\n/hold prod"))
	s.quiet()
	require.Empty(t, s.states("prod"))
	s.do("comment #1 by ann: /promote prod")
	require.Equal(t, []string{"p2 api#1 prod queued"}, s.states("prod"), "bob holds it")
}

package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// byHand returns a site whose stage prod gets promotions only on request.
func byHand(t *testing.T) *site {
	t.Helper()
	s := newSite(t, twoStages)
	_, err := s.github.PushFiles(home, "main", "admin", "Decide who may", map[string]*string{
		config.PolicyPath: githubsim.Text("version: 1\nautomatic: [dev]\n"),
	})
	require.NoError(t, err)
	s.quiet()
	return s
}

// labels lists the labels of a pull request.
func (s *site) labels(n int) []string {
	s.t.Helper()
	p, there := s.github.Pull(home, n)
	require.True(s.t, there)
	return p.Labels
}

// triage lets a person sort pull requests, and no more.
func (s *site) triage(login string) {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(login)))
	require.NoError(s.t, s.github.SetPermission(home, login, "triage"))
}

func TestLabelsSayWhereAChangeIsAndThoseOfOthersAreLeftAloneT17(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("comment #1 by ann: hello", "label #1 mine by ann", "merge #1 by ann", "check smoke failure on dev", "wait 1m")
	require.ElementsMatch(t, []string{"mine", "stage/dev:failed"}, s.labels(1))
	s.do("edit dev.yaml tag x by ann", "comment #1 by ann: /retry dev", "wait 1m")
	require.ElementsMatch(t, []string{"mine"}, s.labels(1), "nobody knows yet")
	s.do("check smoke success on dev", "check e2e success on prod", "wait 1m")
	require.ElementsMatch(t, []string{"mine", "stage/dev:ok", "stage/prod:ok"}, s.labels(1))
}

func TestALabelAsksOnceAndIsConsumedT17(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1m")
	s.do("label #1 promote/prod by bob")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"))
	require.Equal(t, promotion.Login("bob"), s.promoted(2).By.Login)
	require.NotContains(t, s.labels(1), "promote/prod")
	s.do("wait 1m", "label #1 promote/prod by bob", "comment #1 by bob: /promote prod", "label #1 promote/prod by ann")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"), "once, however often and wherever it is asked")
	require.NotContains(t, s.labels(1), "promote/prod")
}

// TestWhatALabelHasWaitSaysWhoseRightCounts labels freight that its stage may not take yet.
func TestWhatALabelHasWaitSaysWhoseRightCounts(t *testing.T) { // semantics 4.6
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "label #1 promote/prod by bob", "wait 1m")
	require.Equal(t, []string{"p2 api#1 prod queued"}, s.states("prod"))
	const right = "It starts if bob may still promote to prod then, and is cancelled otherwise"
	require.Contains(t, asSeen(s.below(1, "ann", "/why prod")), right)
	require.Contains(t, asSeen(s.run(1, "prod").Summary), right)
	s.do("check smoke success on dev", "wait 1m")
	require.NotContains(t, asSeen(s.run(1, "prod").Summary), right)
}

// TestALabelThatIsToldOfAgainAsksForNothingMoreT21 redelivers every webhook after the requested promotion has ended.
func TestALabelThatIsToldOfAgainAsksForNothingMoreT21(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1m", "label #1 promote/prod by bob",
		"check e2e failure on prod")
	require.Equal(t, []string{"p2 api#1 prod verification-failed"}, s.states("prod"))
	require.Greater(t, s.github.Redeliver(200), 20)
	s.quiet()
	require.Equal(t, []string{"p2 api#1 prod verification-failed"}, s.states("prod"))
}

func TestALabelBeforeTheMergeIsAWishOfWhoPutItThereT17(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("comment #1 by ann: hello", "label #1 promote/dev by bob", "label #1 promote/prod by bob",
		"unlabel #1 promote/prod by ann")
	s.triage("bob")
	s.do("comment #2 by ann: hello", "label #2 promote/dev by ann")
	require.Empty(t, s.states("dev"))
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Empty(t, s.promoted(1).By.Login, "bob may no longer ask: it was policy")
	require.NotContains(t, s.labels(1), "promote/dev")
	s.do("check smoke success on dev", "wait 1m")
	require.Empty(t, s.states("prod"), "the wish was taken back")
	s.do("merge #2 by bob")
	require.Equal(t, promotion.Login("ann"), s.promoted(2).By.Login, "asked for by who put the label there")
}

func TestWhoMayOnlyTriageAsksForNothingByLabelT17(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev")
	s.triage("eve")
	s.do("label #1 promote/prod by eve", "label #1 waybill/hold by eve")
	require.Empty(t, s.states("prod"))
	require.NotContains(t, s.labels(1), "promote/prod")
	require.NotContains(t, s.labels(1), "waybill/hold")
	require.Len(t, s.told(1), 1, "they are told once")
}

func TestTheLabelOfAHoldHoldsAndTakingItOffReleasesT17(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("comment #1 by ann: hello", "label #1 waybill/hold by ann", "merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
	require.Contains(t, s.labels(1), "waybill/hold")
	s.do("unlabel #1 waybill/hold by bob")
	require.Contains(t, s.labels(1), "waybill/hold", "who may not lift it puts it back")
	s.do("unlabel #1 waybill/hold by ann")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestALabelLapsesWithALaterPushT17: who puts a label on early has seen what is there then, and not what comes later.
func TestALabelLapsesWithALaterPushT17(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change",
		Files: map[string]*string{"src/a": githubsim.Text("a")}})
	require.NoError(t, err)
	s.do(fmt.Sprintf("label #%d promote/dev by bob", number))
	_, err = s.github.PushFiles(home, "change", "ann", "More", map[string]*string{"src/b": githubsim.Text("b")})
	require.NoError(t, err)
	s.quiet()
	_, err = s.github.MergePull(home, number, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	require.Empty(t, s.promoted(1).By.Login, "dev takes it by itself")
	_, answer := s.answered(number)
	require.Contains(t, answer, "something else was pushed before the merge; to promote it, put the label on again")
	require.NotContains(t, s.labels(number), "promote/dev")
}

package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/deliver"

	"github.com/stretchr/testify/require"
)

// conflicting is p1 with an open pull request that conflicts with its base.
func conflicting() *promotion.Snapshot {
	s := inState(promotion.WaitingForMerge)
	s.Pulls[0].Conflicts = true
	return s
}

func TestANewPlanMovesTheBranch(t *testing.T) {
	s := conflicting()
	s.Attempts[0].Plan.Round = 2
	d := Decide(s, noon)
	require.Equal(t, "open p1", told(d))
	require.EqualValues(t, 2, d.Wanted[0].Round)
	require.Equal(t, promotion.StageName("dev"), d.Wanted[0].Stage)
}

func TestWhatGitHubSaidOfTheCommitBeforeIsNoConflictOfTheNewOne(t *testing.T) {
	s := conflicting()
	s.Attempts[0].Plan.Round, s.Attempts[0].Made.Round, s.Attempts[0].Made.Head = 2, 2, "h2"
	require.Equal(t, "", told(Decide(s, noon)), "GitHub has not yet told of the new head")
}

func TestAForeignCommitIsNeverOverwritten(t *testing.T) { // F14
	s := conflicting()
	s.Pulls[0].HeadSHA = "x"
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, promotion.Because(promotion.PlanChanged, "pushed"), Waits(s, noon)[0].Reason)
}

func TestAConflictThatRebuildingDoesNotSolveFails(t *testing.T) {
	s := conflicting()
	for round := 1; round < deliver.MaxRounds; round++ {
		s.Attempts[0].Plan.Round, s.Attempts[0].Made.Round = round, round
		require.Equal(t, "plan p1", told(Decide(s, noon)), "round %d", round)
	}
	s.Attempts[0].Plan.Round, s.Attempts[0].Made.Round = deliver.MaxRounds, deliver.MaxRounds
	require.Equal(t, "p1 failed because conflict dev.yaml, tell failed, close p1", told(Decide(s, noon)))
	s.Pulls[0].Conflicts = false
	require.Equal(t, "merge p1", told(Decide(s, noon)), "the last round has helped")
}

func TestAConflictWithTheSameChangeByAnotherHandIsNoChange(t *testing.T) {
	s := conflicting()
	s.Attempts[0].Plan = &promotion.Plan{Round: 2, Base: "b9", At: noon, Hash: "h9"}
	d := Decide(s, noon)
	require.Equal(t, "p1 verifying because no-change, close p1, observe p1", told(d))
	require.Equal(t, promotion.SHA("b9"), d.Promotions[0].MergeSHA)
	require.Equal(t, noon.Add(-10*time.Minute), d.Promotions[0].Started, "it started when it started")
}

func TestANewPlanThatCannotBeMadeFails(t *testing.T) {
	s := conflicting()
	s.Attempts[0].Plan = &promotion.Plan{Round: 2, Base: "b9", At: noon,
		Problem: promotion.Because(promotion.Unreadable, "dev.yaml")}
	require.Equal(t, "p1 failed because unreadable dev.yaml, tell failed, close p1", told(Decide(s, noon)))
}

func TestAPullRequestTurnedToAnotherBranchIsNotMerged(t *testing.T) { // T4
	s := inState(promotion.WaitingForMerge)
	s.Pulls[0].Base = "main"
	require.Equal(t, "merge p1", told(Decide(s, noon)))
	s.Pulls[0].Base = "side"
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, promotion.Because(promotion.PlanChanged, "retargeted", "main"), Waits(s, noon)[0].Reason)
}

func TestAMergeIntoAnotherBranchBringsNothingToTheStage(t *testing.T) { // T4
	s := inState(promotion.WaitingForMerge)
	s.Pulls[0].Base, s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = "side", promotion.PullMerged, "m1",
		noon
	d := Decide(s, noon)
	require.Equal(t, "p1 failed because plan-changed elsewhere side, tell failed", told(d))
	require.Empty(t, d.Deployments)
}

func TestARunningPromotionThatHasLostItsPlanAsksForOne(t *testing.T) {
	s := inState(promotion.Running)
	s.Attempts[0].Plan = nil
	require.Equal(t, "plan p1", told(Decide(s, noon)))
	s = inState(promotion.WaitingForMerge)
	s.Attempts[0].Plan = nil
	require.Equal(t, "merge p1", told(Decide(s, noon)), "the pull request is open: no plan is needed")
	s.Pulls[0].Conflicts = true
	require.Equal(t, "plan p1", told(Decide(s, noon)))
}

func TestAnOpenPromotionWithoutPullRequestWaitsForNews(t *testing.T) {
	s := inState(promotion.WaitingForMerge)
	s.Pulls = nil
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, promotion.Waiting, Waits(s, noon)[0].Reason.Code)
}

func TestWhatIsMergedWhenTheStageIsRemovedHasArrived(t *testing.T) { // Q18
	s := inState(promotion.WaitingForMerge)
	s.Removed = true
	s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon
	d := Decide(s, noon)
	require.Equal(t, "p1 verifying, p1 cancelled because removed dev", told(d))
	require.Len(t, d.Deployments, 1)
}

func TestARemovedStageAnswersThatItIsRemoved(t *testing.T) { // Q18
	s := inState(promotion.Verifying)
	s.Removed = true
	ask(promotion.Command{Verb: promotion.CmdPromote, Stage: "dev"})(s)
	d := Decide(s, noon)
	require.Equal(t, "p1 cancelled because removed dev, reply refused", told(d))
	require.Equal(t, "removed dev", d.Effects[0].Reason.String())
	require.Empty(t, d.Wanted)
}

func TestAHoldOfThePipelineIsNotLostWithTheStageThatHeardIt(t *testing.T) { // semantics 4.1, T32
	s := inState(promotion.Succeeded)
	s.Removed = true
	ask(promotion.Command{Verb: promotion.CmdHold, All: true})(s)
	require.Equal(t, "held, reply done", told(Decide(s, noon)))
	for _, text := range []string{"/hold dev", "/unhold --all"} {
		s.Requests = nil
		require.Equal(t, "refused because removed dev", answer(says(s, text)), text)
	}
	s.Requests[0].Command, s.Requests[0].Permission = promotion.Command{Verb: promotion.CmdHold, All: true},
		promotion.Read
	require.Equal(t, "reply refused", told(Decide(s, noon)))
}

func TestAMergeThatGitHubRefusedIsTriedAgainOnceSomethingHasChanged(t *testing.T) { // semantics 7.6
	s := inState(promotion.WaitingForMerge)
	s.Attempts[0].RefuseMerge(1, "a review is missing")
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, "unmergeable a review is missing", Waits(s, noon)[0].Reason.String())
	s.Pulls[0].Revision = 2
	d := Decide(s, noon)
	require.Equal(t, "merge p1", told(d))
	require.EqualValues(t, 2, d.Wanted[0].Round)
}

func TestAPromotionFollowsItsOwnPullRequest(t *testing.T) {
	s := inState(promotion.WaitingForMerge)
	other := s.Pulls[0]
	other.Number, other.State, other.MergeSHA, other.MergedAt = 3, promotion.PullMerged, "m3", noon
	s.Pulls = []promotion.Pull{other, s.Pulls[0]}
	require.Equal(t, "merge p1", told(Decide(s, noon)))
}

package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"

	"github.com/stretchr/testify/require"
)

// askedByBob is p1 in a state, which bob has asked for, with what is known of his right.
func askedByBob(state promotion.State, known promotion.Asker) *promotion.Snapshot {
	s := inState(state)
	s.Promotions[0].Class, s.Promotions[0].Automatic, s.Promotions[0].By = promotion.Manual, false, bob
	s.Attempts[0].Asker = known
	return s
}

var (
	lost    = promotion.Asker{Person: bob.ID, Lost: promotion.Because(promotion.Forbidden, "write")}
	unknown = promotion.Asker{Person: bob.ID, Again: noon.Add(time.Minute)}
)

func TestWhatIsQueuedIsCancelledWhenItsTurnComes(t *testing.T) { // semantics 4.6
	s := askedByBob(promotion.Queued, lost)
	require.Equal(t, "p1 cancelled because forbidden write, tell cancelled", told(Decide(s, noon)))
	s = inState(promotion.Verifying)
	waiting(s, 2, promotion.Manual)
	s.Promotions[1].By, s.Attempts[1].Asker = bob, lost
	require.Equal(t, "", told(Decide(s, noon)), "it is not its turn")
	s.Attempts[1].Asker.Person++
	hear(s, smokeRun(1, "success"))
	require.NotContains(t, told(Decide(s, noon)), "cancelled", "that was somebody else's right")
}

func TestWhatIsQueuedWaitsWhileGitHubCannotSay(t *testing.T) { // semantics 4.6
	s := askedByBob(promotion.Queued, unknown)
	waiting(s, 2, promotion.Manual)
	d := Decide(s, noon)
	require.Equal(t, "plan p2", told(d), "others pass")
	require.Equal(t, noon.Add(time.Minute), d.Wake)
	require.Equal(t, "plan p1", told(Decide(s, noon.Add(time.Minute))))
}

func TestWhatIsOpenWaitsForSomebodyWithTheRight(t *testing.T) { // semantics 4.6
	merge := "merge p1"
	require.Contains(t, told(Decide(askedByBob(promotion.WaitingForMerge, promotion.Asker{Person: bob.ID}), noon)), merge)
	for _, known := range []promotion.Asker{lost, unknown} {
		s := askedByBob(promotion.WaitingForMerge, known)
		require.Equal(t, "", told(Decide(s, noon)))
		for _, verb := range []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdResume} {
			s := askedByBob(promotion.WaitingForMerge, known)
			ask(promotion.Command{Verb: verb, Stage: "dev", Freight: map[bool]string{true: "api#1"}[verb == "promote"]})(s)
			require.Equal(t, "p1 manual, reply done, "+merge, told(Decide(s, noon)), verb)
		}
	}
	s := askedByBob(promotion.WaitingForMerge, promotion.Asker{Person: bob.ID})
	ask(promotion.Command{Verb: promotion.CmdPromote, Stage: "dev", Freight: "api#1"})(s)
	require.Contains(t, told(Decide(s, noon)), "reply already", "it is bob's")
}

func TestWhoTakesAPromotionOverMustBeAllowedToAskForIt(t *testing.T) { // semantics 4.6
	s := askedByBob(promotion.WaitingForMerge, lost)
	ask(promotion.Command{Verb: promotion.CmdResume, Stage: "dev"})(s)
	s.Pipeline.Policy.May[promotion.CmdPromote] = []promotion.Rule{{Permission: promotion.Admin}}
	require.Equal(t, "reply refused", told(Decide(s, noon)))
}

func TestASignOffOfWhoTakesAPromotionOverCountsNoMore(t *testing.T) { // semantics 4.5, 4.6
	by := promotion.Actor{ID: 3, Login: "ann"} // who gives the command
	for _, leaves := range []bool{true, false} {
		s := askedByBob(promotion.WaitingForMerge, lost)
		s.Stage.Policy.Approvals = 1
		plan := gate.KeeperOf(s, noon).Visible(&s.Promotions[0])
		s.Approvals = []promotion.Approval{{ID: 1, Stage: "dev", Freight: s.Promotions[0].Freight.ID,
			Kind: promotion.SignOff, By: by, Plan: plan, Entitled: true}}
		ask(promotion.Command{Verb: promotion.CmdPromote, Stage: "dev", Freight: "api#1"})(s)
		if !leaves {
			s.Pipeline.Policy.May[promotion.CmdApprove] = []promotion.Rule{{}}
		}
		d := Decide(s, noon)
		require.Equal(t, leaves, len(d.Wanted) == 0)
	}
}

func TestWhatIsUnavailableIsSaidBeforeWhoMayNot(t *testing.T) { // semantics 4.6
	s := askedByBob(promotion.WaitingForMerge, lost)
	f := s.Freight[0].ID
	require.Equal(t, "forbidden write", Why(s, f, noon).Reason.String())
	require.Equal(t, promotion.CmdPromote, Why(s, f, noon).Next.Verb)
	s.Stage.From[0].After = &promotion.Gate{Of: []*promotion.Stage{s.Pipeline.Stages[1]}, Need: 1}
	require.Equal(t, promotion.Unverified, Why(s, f, noon).Reason.Code)
}

func TestAutomationNeedsItsPermissionToStartOnly(t *testing.T) { // semantics 4.6
	s := inState(promotion.WaitingForMerge)
	s.Stage.Policy.Automatic = false
	require.Contains(t, told(Decide(s, noon)), "merge p1")
	s = inState(promotion.Queued)
	s.Stage.Policy.Automatic = false
	require.Equal(t, "", told(Decide(s, noon)))
}

func TestARolloutThatHasPlannedNothingEndsWithTheRight(t *testing.T) { // semantics 4.6
	s := askedByBob(promotion.Running, lost)
	s.Attempts[0].Plan = nil
	require.Contains(t, told(Decide(s, noon)), "p1 cancelled because forbidden write")
	s = askedByBob(promotion.Running, lost)
	s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Paths: []string{"dev.yaml"}, Hash: "h1"}
	require.Equal(t, "", told(Decide(s, noon)), "something of it may be open")
}

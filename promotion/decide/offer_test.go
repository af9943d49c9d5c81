package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

// TestAnOfferToEndAPromotionEndsNoOther has one promotion run and another one wait behind it.
func TestAnOfferToEndAPromotionEndsNoOther(t *testing.T) { // semantics 4.11
	s := inState(promotion.WaitingForMerge)
	second := s.Freight[0]
	second.ID, second.Name, second.Number, second.Pull = "acme/api:m9", "api#9", 9, 9
	s.Freight = append(s.Freight, second)
	s.Promotions = append(s.Promotions, promotion.Promotion{
		Number: 2, Stage: "dev", Freight: second.Ref(), Class: promotion.Manual, State: promotion.Queued, Queued: noon,
	})
	s.Attempts = append(s.Attempts, promotion.Attempt{Promotion: 2})
	s.Next = 3
	require.Equal(t, "/cancel dev", say.Next(Why(s, s.Freight[0].ID, noon)))
	require.Equal(t, "/cancel dev p2", say.Next(Why(s, second.ID, noon)))
}

func TestWhatNobodyMayDoIsNotOffered(t *testing.T) { // semantics 4.11
	s := inState(promotion.Failed)
	require.Equal(t, "/retry dev", say.Next(Why(s, s.Freight[0].ID, noon)))
	offered := Told(s, Why(s, s.Freight[0].ID, noon), "failed", noon)
	require.Len(t, offered, 1)
	pipeline := *s.Pipeline
	pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdRetry: {}}
	s.Pipeline = &pipeline
	require.Empty(t, say.Next(Why(s, s.Freight[0].ID, noon)))
	require.Empty(t, Told(s, Why(s, s.Freight[0].ID, noon), "failed", noon))
}

// TestWhatAFailureHasStoppedIsOfferedToBeLetGo has the bot hold the stage because of a failure, and a person for a
// reason of their own.
func TestWhatAFailureHasStoppedIsOfferedToBeLetGo(t *testing.T) {
	s := inState(promotion.Failed)
	s.Holds = []promotion.Hold{
		{ID: 1, Stage: "dev", By: ann, At: noon},
		{ID: 2, Stage: "dev", Warehouse: "api", Promotion: s.Promotions[0].Number, At: noon},
	}
	offered := func() (all []string) {
		for _, c := range Told(s, Why(s, s.Freight[0].ID, noon), "failed", noon) {
			all = append(all, command.Write(c))
		}
		return all
	}
	require.Equal(t, []string{"/retry dev", "/unhold dev api"}, offered())
	at := Why(s, s.Freight[0].ID, noon)
	require.Contains(t, say.Summary(at, "dev"),
		"\nWaybill holds freight of `api` there: `/unhold dev api` lifts the hold.\n")
	require.Contains(t, say.CardOf(s.Pipeline, at).Body,
		"\nWaybill holds freight of api there: `/waybill unhold dev api` lifts the hold")
	s.Holds[1].Lifted = noon
	require.Equal(t, []string{"/retry dev"}, offered(), "that of a person is no consequence")
	at = Why(s, s.Freight[0].ID, noon)
	require.NotContains(t, say.Summary(at, "dev")+say.CardOf(s.Pipeline, at).Body, "Waybill holds")
}

func TestASignOffIsOfferedBeforeItIsKnownWhoHasMadeTheFreight(t *testing.T) { // semantics 4.11
	s := inState(promotion.WaitingForMerge)
	s.Stage.Policy.Approvals = 1
	s.Freight[0].Hands.Unread = true
	require.Equal(t, "/approve dev", say.Next(Why(s, s.Freight[0].ID, noon)))
	require.True(t, s.Freight[0].Hands.Unread)
	s.Freight[0].Hands.All = []promotion.Hand{{Part: promotion.AuthorPart}}
	require.Empty(t, say.Next(Why(s, s.Freight[0].ID, noon)), "nobody may as long as that is so")
}

// TestNoRetryIsOfferedThatWouldBeRefused checks the buttons of what has failed, on the check run and in Slack.
func TestNoRetryIsOfferedThatWouldBeRefused(t *testing.T) { // semantics 4.11
	s := inState(promotion.Failed)
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, promotion.CmdRetry, say.Buttons(at)[0].Verb)
	require.NotEmpty(t, say.CardOf(s.Pipeline, at).Buttons)
	s.Rejects = []promotion.Reject{{ID: 1, Stage: "dev", Freight: s.Freight[0].Ref(),
		From: s.Freight[0].Mark(), By: ann}}
	s.Promotions[0].Class = promotion.Rollback
	at = Why(s, s.Freight[0].ID, noon)
	require.Empty(t, say.Buttons(at))
	require.Empty(t, say.CardOf(s.Pipeline, at).Buttons)
}

package decide

import (
	"testing"

	"waybill/promotion"
	"waybill/promotion/command"

	"github.com/stretchr/testify/require"
)

// Whoever may promote and not roll back makes no more of a rollback than whoever asked for it, and takes none over.
func TestWhoMayNotRollBackMakesNoMoreOfARollback(t *testing.T) {
	for _, text := range []string{"/promote dev api#1", "/retry dev"} {
		s := inState(promotion.WaitingForMerge)
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
			promotion.CmdRollback: {{Permission: promotion.Maintain}}}
		p := &s.Promotions[0]
		p.Class, p.By, p.Only = promotion.Rollback, bob, []promotion.TargetName{"eu"}
		if text == "/retry dev" {
			p.State, p.Ended = promotion.Failed, noon
		}
		d := Decide(saysAs(s, ann, promotion.Write, text), noon)
		require.Equal(t, []string{"refused because forbidden maintain"}, answers(d), text)
		require.Empty(t, d.Promotions, text)
	}
}

// A rollback names the promotion that it has ended as its cause. That is no retry.
func TestWhoMayRetryOnlyDoesNotKeepARollback(t *testing.T) {
	s := inState(promotion.Queued)
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdRollback: {{Permission: promotion.Maintain}}}
	p := &s.Promotions[0]
	p.Class, p.Cause = promotion.Rollback, 7
	why := mayNotHaveAsked(s, promotion.Write)
	require.Equal(t, "forbidden maintain", why.String())
	p.Class = promotion.Manual
	require.True(t, mayNotHaveAsked(s, promotion.Write).IsZero(), "a retry")
}

func mayNotHaveAsked(s *promotion.Snapshot, has promotion.Permission) promotion.Reason {
	return command.MayNotAsk(s.Pipeline.Policy, &s.Promotions[0], has, nil)
}

// Who could not have asked for a promotion, because they have made its freight, takes it over in no way.
func TestWhoIsLeftOutTakesNothingOver(t *testing.T) {
	s := inState(promotion.WaitingForMerge)
	s.Freight[0].Author = ann
	s.Promotions[0].Class, s.Promotions[0].By = promotion.Manual, bob
	s.Attempts[0].Asker = lost
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdPromote: {{Permission: promotion.Write, Not: []string{"author"}}}}
	for _, text := range []string{"/resume dev", "/promote dev api#1"} {
		s.Requests = nil
		require.Equal(t, "refused because forbidden not author", answer(saysAs(s, ann, promotion.Write, text)), text)
	}
}

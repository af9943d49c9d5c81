package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestAnEffectHasOneNameForEver(t *testing.T) {
	seen := map[promotion.EffectKey]bool{}
	for _, e := range []promotion.Effect{
		{Verb: promotion.PlanVerb, Promotion: 1, Round: 1}, {Verb: promotion.PlanVerb, Promotion: 1, Round: 2}, {Verb: promotion.PlanVerb, Promotion: 2, Round: 1},
		{Verb: promotion.Open, Promotion: 1, Round: 1}, {Verb: promotion.Merge, Promotion: 1, Round: 1}, {Verb: promotion.Observe, Promotion: 1, Round: 1},
		{Verb: promotion.Close, Promotion: 1}, {Verb: promotion.Tell, Promotion: 1, Outcome: "failed"}, {Verb: promotion.Tell, Promotion: 1, Outcome: "missing"},
		{Verb: promotion.Reply, Request: 1}, {Verb: promotion.Reply, Request: 2},
	} {
		require.False(t, seen[e.Key()], e.Key())
		seen[e.Key()] = true
		require.Equal(t, e.Verb == promotion.Close || e.Verb == promotion.Tell || e.Verb == promotion.Reply, e.Owed())
	}
	require.Equal(t, promotion.Effect{Verb: promotion.Close, Promotion: 1, Round: 3}.Key(), promotion.Effect{Verb: promotion.Close, Promotion: 1, Reason: promotion.Because(promotion.Removed)}.Key())
}

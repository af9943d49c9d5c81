package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestADecisionIsNothingOnlyWhenNothingIsToBeWritten(t *testing.T) {
	require.True(t, promotion.Decision{Wake: fixture.Noon, Wanted: []promotion.Effect{{}}, Ripples: true}.Nothing())
	for name, d := range map[string]promotion.Decision{
		"promotions": {Promotions: []promotion.Promotion{{}}}, "stays": {Deployments: []promotion.Deployment{{}}},
		"holds": {Holds: []promotion.Hold{{}}}, "approvals": {Approvals: []promotion.Approval{{}}},
		"answers": {Answered: []promotion.Answer{{Request: 1}}}, "effects": {Effects: []promotion.Effect{{}}},
		"log": {Log: []promotion.Entry{{}}},
	} {
		require.False(t, d.Nothing(), name)
	}
}

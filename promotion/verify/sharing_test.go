package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestSignalsOfStagesOnTwoBranchesAreTheirOwn(t *testing.T) {
	smoke := []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "smoke"}}
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main"}
	p.Stages = []*promotion.Stage{{Name: "dev", Targets: []promotion.Target{{Verify: smoke}}},
		{Name: "prod", Index: 1, Targets: []promotion.Target{{Verify: smoke}}}}
	shares := func() bool {
		s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0]}
		trial, _ := JudgeOf(s, new(Sharing)).trialOf(promotion.Arrival{})
		return JudgeOf(s, new(Sharing)).shares(&trial, &p.Stages[0].Targets[0].Verify[0])
	}
	require.True(t, shares())
	p.Stages[1].Files = promotion.Branch{Repo: "acme/deploy", Name: "live"}
	require.False(t, shares())
}

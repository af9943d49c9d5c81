package verify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/verify"
)

func TestSignalsOfStagesOnTwoBranchesAreTheirOwn(t *testing.T) {
	p := fixture.DevPipeline()
	p.Stages[1].Verify = p.Stages[0].Verify
	shares := func() bool {
		s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0]}
		trial := verify.JudgeOf(s).TrialOfStage(&promotion.Stay{})
		return verify.JudgeOf(s).Shares(&trial, &p.Stages[0].Verify[0])
	}
	require.True(t, shares())
	p.Stages[1].Files = promotion.Branch{Repo: "acme/deploy", Name: "live"}
	require.False(t, shares())
}

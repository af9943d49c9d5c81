package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAPictureOfStagesSaysNoMoreThanHowEachStands(t *testing.T) {
	s := fixture.InState(promotion.Succeeded)
	summary := promotion.Summary{All: 2, Verified: 2}
	hosts := []promotion.Host{{Freight: s.Freight[0], Deployment: s.Deployments[0], Tally: summary}}
	require.Equal(t, "api#1 (2/2 verified)", StageRow(promotion.Status{Stage: s.Stage, Hosts: hosts})[1])
	at := promotion.FreightStatus{Promotion: &s.Promotions[0], Tally: summary}
	way := Way{Steps: []StageLine{{Stage: "dev", Word: word(at)},
		{Stage: "prod", Word: "Queued", After: []promotion.StageName{"dev"}}}}
	require.Contains(t, way.picture(), "s0[\"dev: Verified\"]")
}

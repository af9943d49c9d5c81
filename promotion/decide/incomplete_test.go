package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestAProposedFileSaysWhichFreightItLeavesIncomplete(t *testing.T) { // S515
	before := inState(promotion.Succeeded)
	before.Stage.Targets[0].Changes[0].Set = []promotion.Assignment{{Key: "tag"}}
	before.Deployments[0].Wrote = []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "1"}}
	require.Empty(t, Foresee(before, before, noon).Partial)
	after := inState(promotion.Succeeded)
	after.Deployments = before.Deployments
	after.Stage.Targets[0].Changes[0].Set = []promotion.Assignment{{Key: "tag"}, {Key: "more"}}
	partial := []promotion.Partial{{Freight: "api#1", Places: []string{"dev.yaml more"}}}
	require.Equal(t, partial, Foresee(before, after, noon).Partial)
	require.Equal(t, partial[0].Places, Explain(after, noon).Hosts[0].Unwritten)
	require.Empty(t, Foresee(after, after, noon).Partial, "it is so already")
}

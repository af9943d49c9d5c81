package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// TestAStageHostsIncompletelyWhatItsFileHasGainedOrLost counts what the pipeline file has a promotion of the freight
// write, and no value of another warehouse.
func TestAStageHostsIncompletelyWhatItsFileHasGainedOrLost(t *testing.T) { // S515
	text := func(s string) promotion.Template {
		parsed, err := promotion.ParseTemplate(s)
		require.NoError(t, err)
		return parsed
	}
	s := fixture.InState(promotion.Succeeded)
	sets := &s.Stage.Targets[0].Changes[0]
	sets.Set = []promotion.Assignment{{Key: "tag", Value: text("${api.short}")}, {Key: "web", Value: text("${web.short}")}}
	d := &s.Deployments[0]
	require.Empty(t, s.Unwritten(d), "it is not known what was written")
	d.Wrote = []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "c1"}}
	require.Empty(t, s.Unwritten(d))
	sets.Set = append(sets.Set, promotion.Assignment{Key: "digest", Value: text("${api.short}")})
	require.Equal(t, []string{"dev.yaml digest"}, s.Unwritten(d))
	s.Stage.Targets[0].Copies = []promotion.Copy{{Path: "crds", From: "crds", Warehouse: "api"}}
	require.Equal(t, []string{"dev.yaml digest", "crds/"}, s.Unwritten(d))
	s.Stage.Targets[0].Copies, sets.Set = nil, sets.Set[1:2]
	require.Equal(t, []string{"dev.yaml tag"}, s.Unwritten(d))
	s.Stage.Delivery = promotion.DeliveryWorkflow
	require.Empty(t, s.Unwritten(d), "nothing is written")
}

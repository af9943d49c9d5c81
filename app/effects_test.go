package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// TestNothingIsPlannedOrMergedForAStageThatIsGone: the pipeline file may have been changed since that was decided.
func TestNothingIsPlannedOrMergedForAStageThatIsGone(t *testing.T) {
	for _, verb := range []promotion.Verb{promotion.PlanVerb, promotion.Merge} {
		j := &job{Effect: store.Effect{Effect: promotion.Effect{Verb: verb}}}
		write, err := new(App).perform(t.Context(), j)
		require.NoError(t, err, verb)
		require.Nil(t, write, verb)
		require.True(t, j.idle, verb)
	}
}

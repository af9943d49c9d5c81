package torture

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/torture/act"
	"waybill/internal/torture/plan"
)

// TestTortureAPushThatComesBeforeAMergeOfOursIsNotMergedF14 checks that the program merges only the commit that it
// decided on, even if a person pushes just before the merge.
func TestTortureAPushThatComesBeforeAMergeOfOursIsNotMergedF14(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(6) {
		plan := plan.Plan{Seed: seed, Acts: []plan.Act{{ID: 0, Kind: act.Meddle},
			{ID: 1, Kind: act.MergeSource, B: 1, Steps: plan.ToRest}}}
		r := play(t, plan, folder, false)
		require.Nil(t, r.Failure, "seed %d", seed)
	}
}

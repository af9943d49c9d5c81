package torture

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/torture/act"
	"waybill/internal/torture/plan"
)

// TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21 checks that the program opens no second pull request
// after a crash, if a person has merged the first one and deleted its branch before the answer that opened it was read.
func TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(8) {
		for steps := 38; steps < 60; steps += 2 {
			plan := plan.Plan{Seed: seed, Acts: []plan.Act{
				{ID: 0, Kind: act.MergeSource, B: 1, Steps: steps}, {ID: 1, Kind: act.Webhooks, A: 0, B: 5},
				{ID: 2, Kind: act.PullDone, B: 0}, {ID: 3, Kind: act.PullDone, B: 6}, {ID: 4, Kind: act.Crash, Steps: plan.ToRest},
			}}
			r := play(t, plan, folder, false)
			require.Nil(t, r.Failure, "seed %d, after %d steps", seed, steps)
		}
	}
}

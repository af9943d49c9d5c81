package torture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21: whoever is faster than the answer to what opened a
// pull request, and deletes its branch, sees no second one after the process has died.
func TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(8) {
		for steps := 38; steps < 60; steps += 2 {
			plan := Plan{Seed: seed, Acts: []Act{
				{ID: 0, Kind: MergeSource, B: 1, Steps: steps}, {ID: 1, Kind: Webhooks, A: 0, B: 5},
				{ID: 2, Kind: PullDone, B: 0}, {ID: 3, Kind: PullDone, B: 6}, {ID: 4, Kind: Crash, Steps: toRest},
			}}
			r := play(t, plan, folder, false)
			require.Nil(t, r.Failure, "seed %d, after %d steps", seed, steps)
		}
	}
}

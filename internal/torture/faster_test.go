package torture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21: whoever is faster than the answer to what opened a pull
// request, and deletes its branch, sees no second one after the process has died.
func TestTortureWhatAPersonMergedBeforeACrashIsNotOpenedAgainF13F21(t *testing.T) {
	prepare(t)
	folder := fast(t)
	for steps := range 20 {
		plan := Plan{Seed: 3, Acts: []Act{
			{ID: 0, Kind: MergeSource, B: 1, Steps: 45 + steps}, {ID: 1, Kind: Webhooks, A: 0, B: 5},
			{ID: 2, Kind: PullDone, B: 0}, {ID: 3, Kind: PullDone, B: 6}, {ID: 4, Kind: Crash, Steps: toRest},
		}}
		r := play(t, plan, folder, false)
		require.Nil(t, r.Failure, "after %d steps", steps)
	}
}

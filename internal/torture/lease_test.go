package torture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAHandKeepsWhatItIsAtWhenTheProcessStoodStill: a claim ends by the clock, but not for the hand that is still at it. Two
// hands did the same once, and the first could not write down what it had done.
func TestAHandKeepsWhatItIsAtWhenTheProcessStoodStill(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(60) {
		plan := Plan{Seed: seed, Acts: []Act{
			{ID: 0, Kind: MergeSource, B: 1, Steps: 10 + int(seed)}, {ID: 1, Kind: Frozen, A: 2, Steps: toRest},
		}}
		r := play(t, plan, folder, false)
		require.Nil(t, r.Failure, "seed %d", seed)
	}
}

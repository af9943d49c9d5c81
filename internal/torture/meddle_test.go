package torture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTortureAPushThatComesBeforeAMergeOfOursIsNotMergedF14: what is merged is what was decided on, however close
// somebody comes to it.
func TestTortureAPushThatComesBeforeAMergeOfOursIsNotMergedF14(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(6) {
		plan := Plan{Seed: seed, Acts: []Act{{ID: 0, Kind: Meddle}, {ID: 1, Kind: MergeSource, B: 1, Steps: toRest}}}
		r := play(t, plan, folder, false)
		require.Nil(t, r.Failure, "seed %d", seed)
	}
}

package resync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
)

// TestEachLookForPipelinesBeginsWithAnotherInstallation checks that a look that runs out of time does not leave out the
// same installations each time.
func TestEachLookForPipelinesBeginsWithAnotherInstallation(t *testing.T) {
	k := newKit(t)
	all := []gh.Installation{{ID: 1}, {ID: 2}, {ID: 3}}
	began := map[int64]int{}
	for range 6 {
		order := k.inTurn(all)
		require.ElementsMatch(t, all, order)
		began[order[0].ID]++
		k.mu.Lock()
		k.now = k.now.Add(k.Pipelines.Resync + time.Second)
		k.mu.Unlock()
	}
	require.Equal(t, map[int64]int{1: 2, 2: 2, 3: 2}, began)
	require.Empty(t, k.inTurn(nil))
}

package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestAnOldRowOfARolloutSaysWhichBatchWasEntered: old rows counted the merges of the current batch.
func TestAnOldRowOfARolloutSaysWhichBatchWasEntered(t *testing.T) {
	var r *promotion.Rollout
	require.NoError(t, rolloutColumn{&r}.Scan(
		`{"batches": [{"name": "a"}, {"name": "b"}], "step": 3, "batch": 1, "targets": ["t"], "merged": 3, "entered": 2}`,
	))
	require.Equal(t, []int{1}, r.Entered)
}

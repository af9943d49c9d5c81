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

// TestAResultKeepsItsMatchers: no list is another thing than a list without matchers, by which nothing is judged again.
func TestAResultKeepsItsMatchers(t *testing.T) { // semantics 7.2
	for _, by := range [][]promotion.Matcher{
		nil, {}, {{Kind: promotion.KindCheck, Pattern: "e2e*", App: "ci", Skipped: promotion.LackPasses}},
	} {
		in := []promotion.TargetResult{{Target: "a", Step: 1, Commit: "m", Verdict: promotion.Bad, By: by}}
		stored, err := resultsColumn{&in}.Value()
		require.NoError(t, err)
		var out []promotion.TargetResult
		require.NoError(t, resultsColumn{&out}.Scan(stored))
		require.Equal(t, in, out)
	}
}

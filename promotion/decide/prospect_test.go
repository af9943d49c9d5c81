package decide

import (
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// beforeProd is a snapshot of prod. dev verified api#1 ten minutes ago, and prod requires a soak.
func beforeProd(soak time.Duration) *promotion.Snapshot {
	p := devPipeline()
	p.Stages[1].From[0].After.Soak = soak
	f := freightNo(p, 1)
	since := noon.Add(-10 * time.Minute)
	return &promotion.Snapshot{Pipeline: p, Stage: p.Stages[1], Freight: []promotion.Freight{f}, Next: 2, NextID: 1,
		Records: [][]promotion.Record{{{Verdict: promotion.Passed, Since: since}}, {{}}}}
}

func TestForeseeingTellsWhatAShorterGateLetsInAndPromotes(t *testing.T) {
	is := Foresee(beforeProd(time.Hour), beforeProd(time.Minute), noon)
	require.Equal(t, promotion.Prospect{Stage: "prod", Available: []string{"api#1"}, Promoted: []string{"api#1"}}, is)
	require.Equal(t, promotion.Prospect{Stage: "prod", Promoted: []string{"api#1"}},
		Foresee(beforeProd(0), beforeProd(time.Minute), noon),
		"it was available before")
	require.Equal(t, promotion.Prospect{Stage: "prod"}, Foresee(beforeProd(0), beforeProd(time.Hour), noon))
	require.Equal(t, []string{"api#1"}, Foresee(nil, beforeProd(0), noon).Available, "the stage is new")
}

func TestForeseeingTellsWhatARemovedStageCancelsQ18(t *testing.T) {
	for state, cancelled := range map[promotion.State]int{promotion.Queued: 1, promotion.Running: 1,
		promotion.WaitingForMerge: 1, promotion.Verifying: 1, promotion.Succeeded: 0, promotion.Failed: 0} {
		gone := inState(state)
		gone.Stage, gone.Removed = &promotion.Stage{Name: "dev", Index: -1}, true
		require.Len(t, Foresee(inState(state), gone, noon).Cancelled, cancelled, state)
	}
}

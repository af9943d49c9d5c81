package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestTheBatchesOfARolloutAreTold(t *testing.T) { // semantics 5
	p, other := fixture.Clusters(t, [2]int{1, 1}, [2]int{12, 3}), fixture.Clusters(t, [2]int{13, 1})
	p.Stages[0].Strategy.Batches[0].Wait = 15 * time.Minute
	const is = "`b1` (`t1`), then a wait of 15m0s; `b2` (`t2`, `t3`, `t4`, `t5`, `t6`, `t7`, `t8`, `t9`, `t10`, `t11`, " +
		"`2 more`), 3 at once"
	require.Equal(t, is, batched(p.Stages[0]))
	p.Stages[0].Strategy.BackAtOnce = 5
	require.Equal(t, is+"; rollbacks take 5 at once", batched(p.Stages[0]))
	p.Stages[0].Strategy.BackAtOnce = 0
	require.Contains(t, summaryOf(other, p), "`dev`: rollout: `b1` (")
	require.Contains(t, summaryOf(other, p), "→ **"+is+"**")
	require.Contains(t, summaryOf(&promotion.Pipeline{}, p), "; rolled out to "+is)

	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0], Records: make([][]promotion.Record, 2),
		Freight: []promotion.Freight{fixture.FreightNo(p, 1)}}
	report := planReport(s, "f", nil, promotion.Plan{Absent: []promotion.TargetName{"t3"}})
	require.Contains(t, report.Notes, "Batch 1, b1 (t1), then a wait of 15m0s")
	require.Contains(t, report.Notes, "Batch 2, b2 (t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, 2 more), 3 at once")
	require.Contains(t, report.Notes, "Cannot take part yet, because a file of theirs is not there: t3")
}

// summaryOf lists what a proposal changes.
func summaryOf(before, after *promotion.Pipeline) string {
	_, text := Proposal{Before: before, After: after}.Words()
	return text
}

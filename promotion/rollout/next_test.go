package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/rollout"
)

func TestAStepUpdatesTargetsOfOneBranchOnly(t *testing.T) { // semantics 5.3
	europe := promotion.Branch{Repo: "acme/eu", Name: "main"}
	stage := &promotion.Stage{Name: "prod",
		Targets: []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}, {Name: "c"}, {Name: "d", Files: europe}}}
	p := &promotion.Promotion{Rollout: &promotion.Rollout{Batches: []promotion.Batch{{Name: "all",
		Targets: []promotion.TargetName{"a", "b", "c", "d"}, AtOnce: 3}}}}
	ready := func(promotion.TargetName) bool { return false }
	first, _ := rollout.Next(stage, p.Rollout, nil, p.GoesTo, ready)
	require.Equal(t, []promotion.TargetName{"a", "c"}, first.Targets)
	parts := []promotion.Part{{Target: "a", Step: 1, Verdict: promotion.Passed},
		{Target: "c", Step: 1, Verdict: promotion.Passed}}
	second, _ := rollout.Next(stage, p.Rollout, parts, p.GoesTo, ready)
	require.Equal(t, []promotion.TargetName{"b", "d"}, second.Targets)
	p.Rollout.Batches[0].AtOnce = 1
	second, _ = rollout.Next(stage, p.Rollout, parts, p.GoesTo, ready)
	require.Equal(t, []promotion.TargetName{"b"}, second.Targets)
}

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
	s := &promotion.Snapshot{Stage: stage}
	ready := rollout.Gates{Unready: func(*promotion.Promotion, promotion.TargetName) bool { return false }}
	first, _ := rollout.Next(s, p, ready)
	require.Equal(t, []promotion.TargetName{"a", "c"}, first.Targets)
	s.Deployments = []promotion.Deployment{{Results: []promotion.TargetResult{
		{Target: "a", Step: 1, Verdict: promotion.Passed}, {Target: "c", Step: 1, Verdict: promotion.Passed},
	}}}
	second, _ := rollout.Next(s, p, ready)
	require.Equal(t, []promotion.TargetName{"b", "d"}, second.Targets)
	p.Rollout.Batches[0].AtOnce = 1
	second, _ = rollout.Next(s, p, ready)
	require.Equal(t, []promotion.TargetName{"b"}, second.Targets)
}

func TestTheStepBehindLeftOutNumbersIsTheFirstThatALostDatabaseCannotHaveGiven(t *testing.T) { // semantics 6.9
	stage := &promotion.Stage{Name: "prod", Targets: []promotion.Target{{Name: "a"}, {Name: "b"}}}
	p := &promotion.Promotion{Rollout: &promotion.Rollout{Step: 3, LeftOut: 1000, Batches: []promotion.Batch{{Name: "all",
		Targets: []promotion.TargetName{"a", "b"}, AtOnce: 1}}}}
	ready := rollout.Gates{Unready: func(*promotion.Promotion, promotion.TargetName) bool { return false }}
	next, _ := rollout.Next(&promotion.Snapshot{Stage: stage}, p, ready)
	require.Equal(t, []int{1004, 0}, []int{next.Step, next.LeftOut})
}

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/rollout"
)

// backing is a snapshot of prod with the targets a to e, which all have api#2; b has failed, and d has no verdict.
func backing() (*promotion.Snapshot, *promotion.Promotion) {
	s := &promotion.Snapshot{Stage: &promotion.Stage{Name: "prod"}}
	d := promotion.Deployment{Promotion: 2, Warehouse: "api", Freight: "api#2"}
	verdicts := map[promotion.TargetName]promotion.Verdict{
		"a": promotion.Passed, "b": promotion.Bad, "c": promotion.Passed, "e": promotion.Passed,
	}
	for _, name := range []promotion.TargetName{"a", "b", "c", "d", "e"} {
		s.Stage.Targets = append(s.Stage.Targets, promotion.Target{
			Name: name, Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "e2e " + string(name)}},
		})
		d.Results = append(d.Results, promotion.TargetResult{Target: name, Step: 1, Verdict: verdicts[name]})
	}
	s.Stage.Strategy.Batches = []promotion.Batch{
		{Name: "canary", Targets: []promotion.TargetName{"a"}, AtOnce: 1, Wait: 1, Approvals: 1},
		{Name: "rest", Targets: []promotion.TargetName{"b", "c", "d", "e"}, AtOnce: 2, Approvals: 3},
	}
	s.Deployments = []promotion.Deployment{d}
	return s, &promotion.Promotion{Number: 3, Class: promotion.Rollback,
		Freight: promotion.FreightRef{Warehouse: "api", ID: "api#1"}}
}

func TestARollbackBeginsWhereItIsNeeded(t *testing.T) { // semantics 5.12
	s, p := backing()
	require.Equal(t, []promotion.Batch{
		{Name: rollout.Unhealthy, Targets: []promotion.TargetName{"b", "d"}, AtOnce: 2},
		{Name: "canary", Targets: []promotion.TargetName{"a"}, AtOnce: 1, Approvals: 1},
		{Name: "rest", Targets: []promotion.TargetName{"c", "e"}, AtOnce: 2, Approvals: 3},
	}, rollout.Begin(s, p).Batches)
	p.Class = promotion.Manual
	require.Equal(t, s.Stage.Strategy.Batches, rollout.Begin(s, p).Batches)
}

func TestARollbackTakesAsManyTargetsAsTheStageSays(t *testing.T) { // semantics 5.12
	s, p := backing()
	s.Stage.Strategy.BackAtOnce = 3
	one := promotion.Batch{Name: rollout.Back, Targets: []promotion.TargetName{"b", "d", "a", "c", "e"}, AtOnce: 3,
		Approvals: 3}
	require.Equal(t, []promotion.Batch{one}, rollout.Begin(s, p).Batches)
	first, _ := rollout.First(s, p, open())
	require.Equal(t, []promotion.TargetName{"b", "d", "a"}, first.Targets)
	p.Class = promotion.Manual
	require.Equal(t, s.Stage.Strategy.Batches, rollout.Begin(s, p).Batches, "only rollbacks")
}

func TestARollbackKeepsSignalsApart(t *testing.T) { // semantics 5.4, 5.12
	s, p := backing()
	atOnce := func() int { return rollout.Begin(s, p).Batches[0].AtOnce }
	s.Stage.Targets[3].Verify = s.Stage.Targets[0].Verify
	require.Equal(t, 2, atOnce(), "the other one is healthy")
	s.Stage.Targets[3].Verify = s.Stage.Targets[1].Verify
	require.Equal(t, 1, atOnce())
	s.Stage.Targets[3].Files = promotion.Branch{Repo: "acme/eu", Name: "main"}
	require.Equal(t, 2, atOnce(), "they are on two branches")
	s.Stage.Targets[3].Files, s.Stage.Strategy.PerTarget = promotion.Branch{}, true
	require.Equal(t, 2, atOnce(), "each has a pull request of its own")
}

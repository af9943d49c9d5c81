package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/rollout"
)

func TestAStageThatGetsOrLosesTargetsIsAnotherPlace(t *testing.T) { // semantics 5.13
	one := promotion.OnePlace(&promotion.Stage{Name: "dev"}, promotion.Target{})
	two := &promotion.Stage{Name: "dev", Targets: []promotion.Target{{Name: "eu"}, {Name: "us"}}}
	brought := func(targets ...promotion.TargetName) (promotion.Promotion, promotion.Deployment) {
		p := promotion.Promotion{Number: 1, Rollout: &promotion.Rollout{
			Batches: []promotion.Batch{{Targets: targets, AtOnce: 1}}}}
		deployment := promotion.Deployment{Promotion: 1}
		for _, name := range targets {
			deployment.Results = append(deployment.Results, promotion.TargetResult{Target: name})
		}
		return p, deployment
	}
	for _, c := range []struct {
		had  []promotion.TargetName
		has  *promotion.Stage
		want promotion.Reason // none: it is the same place
	}{
		{[]promotion.TargetName{""}, one, promotion.Reason{}},
		{[]promotion.TargetName{"eu"}, two, promotion.Reason{}},
		{[]promotion.TargetName{""}, two, promotion.Because(promotion.Removed, "dev without targets")},
		{[]promotion.TargetName{"eu", "us"}, one, promotion.Because(promotion.Removed, "eu", "us")},
	} {
		p, deployment := brought(c.had...)
		is := !c.want.IsZero()
		require.Equal(t, is, rollout.Replaced(c.has, &p), c.had)
		s := &promotion.Snapshot{Stage: c.has, Promotions: []promotion.Promotion{p}}
		require.Equal(t, is, rollout.ReplacedSince(s, &deployment), c.had)
		s.Promotions = nil
		require.Equal(t, is, rollout.ReplacedSince(s, &deployment), "its promotion ended long ago: %v", c.had)
		if is {
			require.Equal(t, c.want, rollout.Removed(c.has, rollout.TargetsOf(deployment.Results)))
		}
	}
}

func TestAStayOfWhichNothingIsKnownIsInTheSamePlace(t *testing.T) {
	s := &promotion.Snapshot{Stage: promotion.OnePlace(&promotion.Stage{Name: "dev"}, promotion.Target{})}
	require.False(t, rollout.ReplacedSince(s, &promotion.Deployment{Promotion: 1}))
}

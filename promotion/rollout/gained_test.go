package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/rollout"
)

func TestOnlyWhatAPersonAskedForWritesWhatTheFileHasGained(t *testing.T) { // S515
	s, p := halfway(t)
	s.Deployments[0].Wrote = []promotion.Value{{Path: "x.yaml", Key: "tag"}, {Path: "t2.yaml", Key: "tag"}}
	again := promotion.Promotion{Number: 2, Freight: p.Freight, Class: promotion.Automatic, State: promotion.Running,
		Rollout: &promotion.Rollout{Batches: s.Stage.Strategy.Batches}}
	s.Target("t1").Changes = []promotion.Change{{Path: "x.yaml", Set: []promotion.Assignment{{Key: "tag"}}}}
	f := fixture.FreightNo(s.Pipeline, 1)
	require.True(t, rollout.HasBrought(s, &again, "t1"))
	require.True(t, rollout.StandsIn(s, &f, "t1"))
	s.Target("t1").Changes[0].Set = append(s.Target("t1").Changes[0].Set, promotion.Assignment{Key: "more"})
	require.True(t, rollout.HasBrought(s, &again, "t1"), "automation writes nothing")
	require.Equal(t, []string{"x.yaml more"}, s.Unwritten(&s.Deployments[0]), "the other targets catch up")
	again.Class = promotion.Manual
	require.False(t, rollout.HasBrought(s, &again, "t1"))
	require.False(t, rollout.StandsIn(s, &f, "t1"))
	again.Only = []promotion.TargetName{"t4"}
	require.True(t, rollout.HasBrought(s, &again, "t1"), "it goes elsewhere")
}

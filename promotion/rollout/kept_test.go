package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/rollout"
)

// halfway is a snapshot of dev with the targets t1 to t4 in two batches. Promotion 1 has verified t1, found t2 bad, and
// is updating t3.
func halfway(t *testing.T) (*promotion.Snapshot, *promotion.Promotion) {
	s := fixture.InState(promotion.Verifying)
	s.Pipeline = fixture.Clusters(t, [2]int{2, 2}, [2]int{2, 1})
	s.Stage = s.Pipeline.Stages[0]
	p := &s.Promotions[0]
	p.Rollout = &promotion.Rollout{
		Batches: s.Stage.Strategy.Batches, Step: 2, Batch: 1, Targets: []promotion.TargetName{"t3"},
	}
	s.Deployments[0].Results = []promotion.TargetResult{
		{Target: "t1", Step: 1, Verdict: promotion.Passed, Judged: fixture.Noon},
		{Target: "t2", Step: 1, Verdict: promotion.Bad, Judged: fixture.Noon,
			Cause: promotion.Because(promotion.FailedCheck, "smoke t2")},
	}
	return s, p
}

func TestHowATargetStandsInAPromotion(t *testing.T) {
	s, p := halfway(t)
	for name, want := range map[promotion.TargetName]promotion.TargetState{
		"t1": promotion.TargetVerified, "t2": promotion.TargetFailed, "t3": promotion.TargetUpdating,
		"t4": promotion.TargetToCome, "t5": "",
	} {
		require.Equal(t, want, rollout.StateIn(s, p, name), name)
		require.Equal(t, name < "t3", rollout.HasBrought(s, p, name), name)
	}
}

func TestATargetHasAFreightThatWasNotFoundBadThere(t *testing.T) {
	s, p := halfway(t)
	f, other := &s.Freight[0], &promotion.Freight{ID: "api#9", Warehouse: "api"}
	require.True(t, rollout.StandsIn(s, f, "t1"))
	require.False(t, rollout.StandsIn(s, f, "t2"), "it is bad there")
	require.False(t, rollout.StandsIn(s, f, "t3"), "it has not come there")
	require.False(t, rollout.StandsIn(s, other, "t1"))

	require.False(t, rollout.Misses(s, p, f), "it goes to all targets")
	p.Only = []promotion.TargetName{"t1", "t9"}
	require.False(t, rollout.Misses(s, p, f), "there is no t9 any more")
	p.Only = []promotion.TargetName{"t1", "t3"}
	require.True(t, rollout.Misses(s, p, f))
}

func TestNoFurtherTargetMayFail(t *testing.T) {
	s, _ := halfway(t)
	f := &s.Freight[0]
	require.Equal(t, "failed smoke t2", rollout.Spent(s, f).String())
	s.Stage.Strategy.MaxFailures = 1
	require.Zero(t, rollout.Spent(s, f))
	s.Stage.Strategy.MaxFailures, s.Stage.Strategy.Beyond = 0, promotion.BeyondContinues
	require.Zero(t, rollout.Spent(s, f))
}

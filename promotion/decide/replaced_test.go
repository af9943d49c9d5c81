package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// withTargets gives targets to the stage of a snapshot.
func withTargets(s *promotion.Snapshot) *promotion.Snapshot {
	p := clusters(nil, [2]int{2, 1})
	s.Pipeline, s.Stage = p, p.Stages[0]
	return s
}

func TestAStageThatGetsTargetsIsAnotherPlace(t *testing.T) { // semantics 5.13
	for state, want := range map[promotion.State]string{
		promotion.WaitingForMerge: "p1 cancelled because removed dev without targets, close p1",
		promotion.Verifying:       "left, p1 cancelled because removed dev without targets",
		promotion.Succeeded:       "left",
		promotion.Declined:        "",
	} {
		s := withTargets(inState(state))
		require.Equal(t, want, told(Decide(s, noon)), state)
		s = apply(s, Decide(s, noon))
		require.Empty(t, told(Decide(s, noon)), "nothing is brought to the targets by itself")
	}
}

func TestWhatIsMergedWhenAStageGetsTargetsIsThereForAMoment(t *testing.T) { // semantics 5.13
	s := withTargets(inState(promotion.WaitingForMerge))
	s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon
	d := Decide(s, noon)
	require.Equal(t, "p1 verifying, left, p1 cancelled because removed dev without targets", told(d))
	require.True(t, d.Deployments[0].Ended())
	require.Equal(t, promotion.Pending, d.Deployments[0].Verdict)
}

func TestAPromotionOfOneTargetEndsWithTheTargets(t *testing.T) { // semantics 5.13
	s := inState(promotion.Succeeded)
	waiting(s, 2, promotion.Manual)
	s.Promotions[1].Only = []promotion.TargetName{"t1"}
	require.Equal(t, "p2 cancelled because removed t1", told(Decide(s, noon)))
}

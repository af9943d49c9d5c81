package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// TestADeploymentEndsWithItsPromotionAndWhenSomethingElseStandsThere covers T39.
func TestADeploymentEndsWithItsPromotionAndWhenSomethingElseStandsThere(t *testing.T) {
	for state, want := range map[promotion.State]string{
		promotion.Queued: "", promotion.Running: "", promotion.WaitingForMerge: "", promotion.Verifying: "in_progress",
		promotion.Succeeded: "success", promotion.VerificationFailed: "failure",
	} {
		s := fixture.InState(state)
		require.Equal(t, want, s.Deployed(&s.Promotions[0]), state)
	}
	s := fixture.InState(promotion.Succeeded)
	s.Deployments[0].Left = fixture.Noon
	require.Equal(t, "inactive", s.Deployed(&s.Promotions[0]))
	s = fixture.InState(promotion.Succeeded)
	s.Removed = true
	require.Equal(t, "inactive", s.Deployed(&s.Promotions[0]))
}

// TestADeploymentToATargetFollowsItsVerdictAndEndsWhenSomethingElseIsBroughtThere covers T39.
func TestADeploymentToATargetFollowsItsVerdictAndEndsWhenSomethingElseIsBroughtThere(t *testing.T) {
	deployments := []promotion.Deployment{
		{Promotion: 1, Left: fixture.Noon,
			Results: []promotion.TargetResult{{Target: "a", Step: 1, Commit: "m1", Verdict: promotion.Passed},
				{Target: "b", Step: 2, Commit: "m2", Verdict: promotion.Passed},
				{Target: "c", Step: 2, Commit: "m2", Verdict: promotion.Bad}}},
		{Promotion: 2, Results: []promotion.TargetResult{{Target: "a", Step: 1, Commit: "m3", Verdict: promotion.Passed},
			{Target: "c", Step: 2, Commit: "m2"}, {Target: "gone", Step: 2, Commit: "m4"}}},
	}
	s := &promotion.Snapshot{
		Stage: &promotion.Stage{Targets: []promotion.Target{{Name: "a"}, {Name: "b"}, {Name: "c"}}}, Deployments: deployments,
		Promotions: []promotion.Promotion{{Number: 1, State: promotion.VerificationFailed},
			{Number: 2, State: promotion.Verifying}},
	}
	want := []promotion.TargetDeployment{
		{Promotion: 1, Target: "a", Step: 1, SHA: "m1", State: "inactive"},
		{Promotion: 2, Target: "a", Step: 1, SHA: "m3", State: "success"},
		{Promotion: 1, Target: "b", Step: 2, SHA: "m2", State: "success"}, // no later promotion has reached it
		// it needed no change and is verified again
		{Promotion: 1, Target: "c", Step: 2, SHA: "m2", State: "in_progress"},
		{Promotion: 2, Target: "gone", Step: 2, SHA: "m4", State: "inactive"},
	}
	require.Equal(t, want, s.DeployedTo())
	s.Promotions[1].State = promotion.Cancelled
	require.Equal(t, "failure", s.DeployedTo()[3].State, "nobody waits for a verdict any more")
	s.Deployments[1].Left = fixture.Noon
	require.Len(t, s.DeployedTo(), 4, "what was replaced long ago is known to be")
	s.Removed = true
	for _, d := range s.DeployedTo() {
		require.Equal(t, "inactive", d.State)
	}
}

func TestAnEnvironmentIsThatOfAStageOrOfATarget(t *testing.T) {
	whole := promotion.OnePlace(&promotion.Stage{},
		promotion.Target{Environment: "Prod"})
	each := &promotion.Stage{
		Targets: []promotion.Target{{Name: "a", Environment: "prod-a"}, {Name: "b", Environment: "prod-b"}},
	}
	require.True(t, whole.Inhabits("prod"))
	require.True(t, each.Inhabits("PROD-B"))
	require.False(t, each.Inhabits("prod"))
	require.False(t, each.Inhabits(""))
	require.True(t, each.Settled())
	require.False(t, (&promotion.Stage{Targets: []promotion.Target{{Name: "a"}}}).Settled())
	each.Targets[0].Verify = []promotion.Matcher{{Kind: promotion.KindDeployment, Pattern: "prod-*"}}
	require.False(t, each.Targets[0].Deploys(), "it waits for somebody else's")
	require.True(t, each.Targets[1].Deploys())
	require.False(t, each.Deploys())
}

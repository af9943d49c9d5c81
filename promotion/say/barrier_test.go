package say

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// TestAJobWaitsForHoldsOfPeopleAndForFreezes: the hold of the bot that follows a failure would have the job wait that
// is to show that all is well again.
func TestAJobWaitsForHoldsOfPeopleAndForFreezes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ann := promotion.Actor{ID: 1, Login: "ann"}
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: &promotion.Stage{Name: "prod"},
		Promotions: []promotion.Promotion{{Number: 1, Class: promotion.Rollback, MergeSHA: "back"}}}
	waits := func(sha promotion.SHA) string {
		r := Barrier(s, "Production", sha, now)
		require.NotEmpty(t, r.Title)
		if !r.Waits {
			return ""
		}
		return r.Title
	}
	require.Empty(t, waits("new"))
	s.Holds = []promotion.Hold{{Stage: "prod", At: now, Reason: promotion.Because(promotion.Asked)},
		{Stage: "dev", By: ann, At: now}}
	require.Empty(t, waits("new"), "the bot's, and one of another stage")
	s.Holds = []promotion.Hold{{By: ann, At: now, Text: strings.Repeat("because ", 500)}}
	require.Contains(t, waits("new"), "Waits: prod is held by ann")
	require.LessOrEqual(t, len([]rune(waits("new"))), maxReport)
	require.Contains(t, waits("back"), "held by ann")
	s.Holds = nil
	s.Stage.Freezes = []promotion.Freeze{{Reason: "the weekend", Rollbacks: true,
		Window: fixture.Window{Closes: now.Add(24 * time.Hour), Opens: now.Add(48 * time.Hour)}}}
	require.Contains(t, waits("new"), "prod is frozen until")
	require.Contains(t, waits("new"), "the weekend")
	require.Empty(t, waits("back"), "rollbacks pass")
}

// TestAJobWaitsForTheHoldOfItsOwnTarget: one that deploys to another target goes on.
func TestAJobWaitsForTheHoldOfItsOwnTarget(t *testing.T) {
	t.Parallel()
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{},
		Stage: &promotion.Stage{Name: "prod",
			Targets: []promotion.Target{{Name: "eu", Environment: "prod-eu"}, {Name: "us", Environment: "prod-us"}}}}
	s.Holds = []promotion.Hold{{Stage: "prod", Target: "eu", By: fixture.Bob, At: fixture.Noon}}
	require.True(t, Barrier(s, "Prod-EU", "m1", fixture.Noon).Waits)
	require.Contains(t, Barrier(s, "Prod-EU", "m1", fixture.Noon).Title, "prod is held in part, target eu by bob")
	require.False(t, Barrier(s, "prod-us", "m1", fixture.Noon).Waits)
	s.Holds[0].Target = "gone"
	require.False(t, Barrier(s, "prod-eu", "m1", fixture.Noon).Waits, "there is no such target any more")
	s.Holds[0].Target, s.Stage.OneDeployment = "eu", true
	s.Stage.Targets[0].Environment, s.Stage.Targets[1].Environment = "prod", "prod"
	require.True(t, Barrier(s, "prod", "m1", fixture.Noon).Waits, "what is deployed there may be for that target")
}

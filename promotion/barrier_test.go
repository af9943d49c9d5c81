package promotion

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAJobWaitsForHoldsOfPeopleAndForFreezes: the hold of the bot that follows a failure would have the job wait that is to
// show that all is well again.
func TestAJobWaitsForHoldsOfPeopleAndForFreezes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ann := Actor{ID: 1, Login: "ann"}
	s := &Snapshot{Pipeline: &Pipeline{}, Stage: &Stage{Name: "prod"}, Promotions: []Promotion{{Number: 1, Class: Rollback, MergeSHA: "back"}}}
	waits := func(sha SHA) string {
		r := Barrier(s, "Production", sha, now)
		require.NotEmpty(t, r.Title)
		if !r.Waits {
			return ""
		}
		return r.Title
	}
	require.Empty(t, waits("new"))
	s.Holds = []Hold{{Stage: "prod", At: now, Reason: Because(Asked)}, {Stage: "dev", By: ann, At: now}}
	require.Empty(t, waits("new"), "the bot's, and one of another stage")
	s.Holds = []Hold{{By: ann, At: now, Text: strings.Repeat("because ", 500)}}
	require.Contains(t, waits("new"), "Waits: prod is held by ann")
	require.LessOrEqual(t, len([]rune(waits("new"))), maxReport)
	require.Contains(t, waits("back"), "held by ann")
	s.Holds = nil
	s.Stage.Freezes = []Freeze{{Reason: "the weekend", Rollbacks: true, Window: always24h{}}}
	require.Contains(t, waits("new"), "prod is frozen until")
	require.Contains(t, waits("new"), "the weekend")
	require.Empty(t, waits("back"), "rollbacks pass")
}

// TestAJobWaitsForTheHoldOfItsOwnTarget: one that deploys to another target goes on.
func TestAJobWaitsForTheHoldOfItsOwnTarget(t *testing.T) {
	t.Parallel()
	s := &Snapshot{Pipeline: &Pipeline{}, Stage: &Stage{Name: "prod", Targets: []Target{{Name: "eu", Environment: "prod-eu"}, {Name: "us", Environment: "prod-us"}}}}
	s.Holds = []Hold{{Stage: "prod", Target: "eu", By: bob, At: noon}}
	require.True(t, Barrier(s, "Prod-EU", "m1", noon).Waits)
	require.Contains(t, Barrier(s, "Prod-EU", "m1", noon).Title, "prod is held in part, target eu by bob")
	require.False(t, Barrier(s, "prod-us", "m1", noon).Waits)
	s.Holds[0].Target = "gone"
	require.False(t, Barrier(s, "prod-eu", "m1", noon).Waits, "there is no such target any more")
	s.Holds[0].Target, s.Stage.Environment = "eu", "prod"
	s.Stage.Targets[0].Environment, s.Stage.Targets[1].Environment = "", ""
	require.True(t, Barrier(s, "prod", "m1", noon).Waits, "what is deployed there may be for that target")
}

// always24h is a freeze that has begun and lasts a day.
type always24h struct{}

func (always24h) Until(now time.Time) time.Time { return now.Add(24 * time.Hour) }
func (always24h) Next(now time.Time) time.Time  { return now.Add(48 * time.Hour) }

package say

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAJobIsToldWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s := &promotion.Stage{Name: "prod"}
	require.Equal(t, GuardCheck{Title: "Nothing stops prod: it is neither held nor frozen."}, ProtectionRule(s, nil))
	hold := promotion.Hold{Stage: "prod", By: byAnn, At: fixture.Noon, Text: strings.Repeat("because ", 500)}
	freeze := promotion.Freeze{Reason: "the weekend"}
	held := ProtectionRule(s, []promotion.Obstacle{{Hold: &hold}, {Freeze: &freeze, Until: fixture.Noon}})
	require.True(t, held.Waits)
	require.Contains(t, held.Title, "Waits: prod is held by ann")
	require.LessOrEqual(t, len([]rune(held.Title)), maxReport)
	result := promotion.Hold{Stage: "prod", Target: "eu", By: fixture.Bob, At: fixture.Noon}
	require.Contains(t, ProtectionRule(s, []promotion.Obstacle{{Hold: &result}}).Title,
		"prod is held for target eu by bob")
	require.Equal(t, GuardCheck{Waits: true,
		Title: "Waits: prod is frozen until 2026-01-01 13:00 UTC: the weekend. The job starts when that is over; " +
			"/why prod says more."},
		ProtectionRule(s, []promotion.Obstacle{{Freeze: &freeze, Until: fixture.Noon.Add(time.Hour)}}))
}

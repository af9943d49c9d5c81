package say

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// always is a freeze that ends an hour after noon.
type always struct{}

func (always) Until(time.Time) time.Time { return fixture.Noon.Add(time.Hour) }
func (always) Next(time.Time) time.Time  { return time.Time{} }

func TestOnlyFreightThatCouldComeWaitsForAFreeze(t *testing.T) { // semantics 4.14
	stage := &promotion.Stage{Name: "dev", Policy: promotion.StagePolicy{
		Freezes: []promotion.Freeze{{Window: always{}, Rollbacks: true}},
	}}
	waits := func(place promotion.Place, state promotion.State, c promotion.Class) bool {
		at := promotion.FreightStatus{Name: "api#1", Place: place, Stage: stage}
		if state != "" {
			at.Promotion = &promotion.Promotion{State: state, Class: c}
		}
		is := promotion.Status{Stage: stage, At: fixture.Noon, Frozen: promotion.Because(promotion.Frozen)}
		return strings.Contains(strings.Join(WhyReport(at, is).Notes, "\n"), "It also waits for the end of a freeze")
	}
	require.True(t, waits(promotion.PlaceAvailable, "", ""))
	require.True(t, waits(promotion.PlaceUnavailable, "", ""))
	require.False(t, waits(promotion.PlaceSkipped, "", ""))
	require.True(t, waits(promotion.PlaceOpen, promotion.WaitingForMerge, promotion.Manual))
	require.False(t, waits(promotion.PlaceOpen, promotion.WaitingForMerge, promotion.Rollback), "the freeze lets it")
	require.False(t, waits(promotion.PlaceOpen, promotion.Verifying, promotion.Manual), "it is merged")
	require.False(t, waits(promotion.PlaceEnded, promotion.Succeeded, promotion.Manual))
	require.False(t, waits(promotion.PlaceEnded, promotion.VerificationFailed, promotion.Manual))
}

func TestUntilWhenStandsBehindWhatWaitsAndIsNotCutOff(t *testing.T) { // semantics 4.14
	at := promotion.FreightStatus{Name: "api#1", Place: promotion.PlaceAvailable, Until: fixture.Noon,
		Reason: promotion.Because(promotion.Frozen, strings.Repeat("sale ", 100)), Stage: &promotion.Stage{Name: "dev"}}
	text := Sticky([]Way{{Steps: []StageLine{LineOf(promotion.Freight{}, at)}}})
	require.Regexp(t, `, until 2026.*00 UTC \|`, text)
	at.Drift = promotion.Because(promotion.Drifted)
	require.NotContains(t, LineOf(promotion.Freight{}, at).Why, "until", "drift has no end")
}

func TestACommentOnAFailureSaysHowItStandsWhenItIsWritten(t *testing.T) { // semantics 4.14
	p := &promotion.Promotion{Stage: "dev", State: promotion.VerificationFailed,
		Freight: promotion.FreightRef{Name: "api#1"}}
	smoke, e2e := promotion.Because(promotion.FailedCheck, "smoke"), promotion.Because(promotion.FailedCheck, "e2e")
	now := func(v promotion.Verdict, cause promotion.Reason) string {
		at := promotion.FreightStatus{Promotion: p, Reason: smoke, Verdict: v, Cause: cause}
		return TellNow(p, string(p.State), smoke, at, nil)
	}
	require.Contains(t, now(promotion.Bad, smoke), "failed in **`dev`**: `smoke` failed.")
	require.Contains(t, now(promotion.Bad, e2e), "failed in **`dev`**: `e2e` failed.")
	require.Equal(t, "**`api#1`** was not good in **`dev`**: `smoke` failed. By now it is verified.\n",
		now(promotion.Passed, promotion.Reason{}))
}

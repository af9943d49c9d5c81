package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// guarded is a snapshot of dev, which guards its files, with promotion 1 in a state.
func guarded(state promotion.State) *promotion.Snapshot {
	s := fixture.InState(state)
	s.Stage.Guard = true
	return s
}

var (
	touching = promotion.Candidate{Ref: "#9", Pull: 9, Head: "h9", Files: []string{"dev.yaml", "prod.yaml"}}
	byAnn    = promotion.Actor{ID: 5, Login: "ann"}
)

func TestPeoplesChangesWaitForWhatIsUnderWay(t *testing.T) {
	later := fixture.Noon.Add(time.Hour)
	for _, c := range []struct {
		name  string
		state promotion.State
		with  func(s *promotion.Snapshot)
		title string // "": it passes
	}{
		{"nothing", promotion.Succeeded, nil, ""},
		{"a promotion that waits is not merged yet", promotion.WaitingForMerge, nil, ""},
		{"a verification", promotion.Verifying, nil, "Not now: promotion 1 of api#1 is being verified in dev"},
		{"a hold, with who, why and until when", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: fixture.Noon, Until: later, Text: "migration"}}
		}, "Not now: dev is held by ann since 2026-01-01 12:00 UTC: migration (until 2026-01-01 13:00 UTC)"},
		{"a hold of the whole pipeline goes before a verification", promotion.Verifying, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{By: byAnn, At: fixture.Noon}}
		}, "Not now: dev is held by ann since 2026-01-01 12:00 UTC"},
		{"a hold of Waybill's own", promotion.VerificationFailed, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", At: fixture.Noon,
				Reason: promotion.Because(promotion.Inconclusive, "smoke")}}
		}, "Not now: dev is held by Waybill since 2026-01-01 12:00 UTC, because the signals are neither good nor bad: smoke"},
		{"a hold that is over", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: fixture.Noon, Until: fixture.Noon}}
		}, ""},
		{"a hold of another stage", promotion.Succeeded,
			func(s *promotion.Snapshot) { s.Holds = []promotion.Hold{{Stage: "prod", By: byAnn, At: fixture.Noon}} },
			""},
		{"a freeze", promotion.Succeeded, func(s *promotion.Snapshot) {
			s.Stage.Freezes = []promotion.Freeze{{Reason: "weekend", Rollbacks: true,
				Window: fixture.Window{Closes: later}}}
		}, "Not now: dev is frozen until 2026-01-01 13:00 UTC: weekend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := guarded(c.state)
			if c.with != nil {
				c.with(s)
			}
			got := Guard(s, touching, fixture.Noon)
			require.Equal(t, c.title != "", got.Waits)
			if c.title == "" {
				c.title = "Nothing is under way in dev"
			}
			require.Equal(t, c.title, got.Title)
			require.Contains(t, got.Summary, "This changes `dev.yaml`, which promotions to `dev` write.")

			other := Guard(s, promotion.Candidate{Files: []string{"prod.yaml"}}, fixture.Noon)
			require.False(t, other.Waits, "it leaves the files alone")
			require.Equal(t, "Changes no file of dev", other.Title)
		})
	}
}

func TestARulingTellsWhereToLook(t *testing.T) {
	s := guarded(promotion.Verifying)
	s.Attempts[0].URL = "https://github.test/acme/deploy/pull/7"
	s.Holds = []promotion.Hold{{Stage: "dev", By: byAnn, At: fixture.Noon, Text: "@everybody <b>"}}
	require.Equal(t, "This changes `dev.yaml`, which promotions to `dev` write.\n\nIt had better not be merged now:\n\n"+
		"- The stage is "+plain("held by ann since 2026-01-01 12:00 UTC: @everybody <b>")+"\n"+
		"- Promotion [1](https://github.test/acme/deploy/pull/7) of `api#1` is being verified since 2026-01-01 11:50 UTC, by check `smoke`\n"+
		"\nThis check passes by itself as soon as none of that is so any more.\n\nNext:\n```\n/why dev\n```\n",
		Guard(s, touching, fixture.Noon).Summary)
}

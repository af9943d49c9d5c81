package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

var (
	touching = promotion.Candidate{Ref: "#9", Pull: 9, Head: "h9", Files: []string{"dev.yaml", "prod.yaml"}}
	byAnn    = promotion.Actor{ID: 5, Login: "ann"}
)

func TestARulingTellsWhatPeoplesChangesWaitFor(t *testing.T) {
	s := fixture.InState(promotion.Verifying)
	later := fixture.Noon.Add(time.Hour)
	held := func(h promotion.Hold) promotion.Obstacle { return promotion.Obstacle{Hold: &h} }
	verification := promotion.Obstacle{Promotion: &s.Promotions[0]}
	for _, c := range []struct {
		name  string
		waits []promotion.Obstacle
		title string
	}{
		{"nothing", nil, "Nothing is under way in dev"},
		{"a verification", []promotion.Obstacle{verification},
			"Not now: promotion 1 of api#1 is being verified in dev"},
		{"a hold, with who, why and until when",
			[]promotion.Obstacle{held(promotion.Hold{Stage: "dev", By: byAnn, At: fixture.Noon, Until: later,
				Text: "migration"})},
			"Not now: dev is held by ann since 2026-01-01 12:00 UTC: migration (until 2026-01-01 13:00 UTC)"},
		{"the first of several", []promotion.Obstacle{held(promotion.Hold{By: byAnn, At: fixture.Noon}), verification},
			"Not now: every stage is held by ann since 2026-01-01 12:00 UTC"},
		{"a hold of Waybill's own", []promotion.Obstacle{
			held(promotion.Hold{Stage: "dev", At: fixture.Noon, Reason: promotion.Because(promotion.Inconclusive, "smoke")})},
			"Not now: dev is held by Waybill since 2026-01-01 12:00 UTC, because smoke neither passed nor failed"},
		{"a freeze", []promotion.Obstacle{{Freeze: &promotion.Freeze{Reason: "weekend"}, Until: later}},
			"Not now: dev is frozen until 2026-01-01 13:00 UTC: weekend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Guard(s.Pipeline, s.Stage, touching, c.waits)
			require.Equal(t, len(c.waits) > 0, got.Waits)
			require.Equal(t, c.title, got.Title)
			require.Contains(t, got.Summary, "This changes `dev.yaml`, which promotions to `dev` write.")
			if got.Waits {
				require.Equal(t, c.waits[0].Because(), got.Reason)
			}
		})
	}
	other := Guard(s.Pipeline, s.Stage, promotion.Candidate{Files: []string{"prod.yaml"}}, nil)
	require.False(t, other.Waits, "it leaves the files alone")
	require.Equal(t, "Changes no file of dev", other.Title)
}

func TestARulingTellsWhereToLook(t *testing.T) {
	s := fixture.InState(promotion.Verifying)
	hold := promotion.Hold{By: byAnn, At: fixture.Noon, Text: "@everybody <b>"}
	link := promotion.Link{What: promotion.OnPull, URL: "https://github.test/acme/deploy/pull/7"}
	waits := []promotion.Obstacle{{Hold: &hold}, {Promotion: &s.Promotions[0], Link: link}}
	require.Equal(t, "This changes `dev.yaml`, which promotions to `dev` write.\n\nDo not merge this now:\n\n"+
		"- Every stage is "+plain("held by ann since 2026-01-01 12:00 UTC: @everybody <b>")+"\n"+
		"- Promotion [1](https://github.test/acme/deploy/pull/7) of `api#1` was merged at 2026-01-01 11:50 UTC and waits "+
		"for check `smoke`\n"+
		"\nThis check passes when all of that is over.\n\nNext:\n```\n/why dev\n```\n",
		Guard(s.Pipeline, s.Stage, touching, waits).Summary)
}

package say

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAContrastTellsEachWayInWhichAStageDiffers(t *testing.T) {
	for want, edit := range map[string]func(s *promotion.Stage){
		"":      func(s *promotion.Stage) { s.Index = 7 },
		"takes": func(s *promotion.Stage) { s.From[0].After.Soak = time.Hour },
		"queue": func(s *promotion.Stage) { s.Queue = promotion.QueueFIFO },
		"drift": func(s *promotion.Stage) { s.Drift = promotion.DriftIgnore },
		"merge": func(s *promotion.Stage) { s.Merge.By = promotion.MergeManual },
		"changes": func(s *promotion.Stage) {
			s.Targets[0].Changes = append(s.Targets[0].Changes, promotion.Change{Path: "more.yaml"})
		},
		"verified by": func(s *promotion.Stage) {
			s.Targets[0].Verify = []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "e2e"}}
		},
		"sign-offs":      func(s *promotion.Stage) { s.Policy.Approvals = 2 },
		"sign-offs,":     func(s *promotion.Stage) { s.Policy.SignRollbacks = true },
		"promotion":      func(s *promotion.Stage) { s.Policy.Automatic = false },
		"other settings": func(s *promotion.Stage) { s.Slack = "#prod" },
		"frozen": func(s *promotion.Stage) {
			s.Policy.Freezes = []promotion.Freeze{{Begins: "0 16 * * FRI UTC"}}
		},
		"sign-offs, other settings": func(s *promotion.Stage) {
			s.Policy.Approvals, s.Slack = 1, "#prod"
		},
	} {
		was, is := fixture.DevPipeline().Stages[1], fixture.DevPipeline().Stages[1]
		edit(is)
		var told []string
		for _, d := range contrasts(was, is) {
			told = append(told, d.What)
		}
		require.Equal(t, strings.TrimSuffix(want, ","), strings.Join(told, ", "))
	}
}

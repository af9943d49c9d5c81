package decide

import (
	"strings"
	"testing"
	"time"
	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// beforeProd is a snapshot of prod in which dev verified api#1 ten minutes ago, and prod asks for a soak.
func beforeProd(soak time.Duration) *promotion.Snapshot {
	p := devPipeline()
	p.Stages[1].From[0].After.Soak = soak
	f := freightNo(p, 1)
	since := noon.Add(-10 * time.Minute)
	return &promotion.Snapshot{Pipeline: p, Stage: p.Stages[1], Freight: []promotion.Freight{f}, Next: 2, NextID: 1,
		Records: [][]promotion.Record{{{Verdict: promotion.Passed, Since: since}}, {{}}}}
}

func TestForeseeingTellsWhatAShorterGateLetsInAndPromotes(t *testing.T) {
	is := Foresee(beforeProd(time.Hour), beforeProd(time.Minute), noon)
	require.Equal(t, promotion.Prospect{Stage: "prod", Available: []string{"api#1"}, Promoted: []string{"api#1"}}, is)
	require.Equal(t, promotion.Prospect{Stage: "prod", Promoted: []string{"api#1"}}, Foresee(beforeProd(0), beforeProd(time.Minute), noon),
		"it was available before")
	require.Equal(t, promotion.Prospect{Stage: "prod"}, Foresee(beforeProd(0), beforeProd(time.Hour), noon))
	require.Equal(t, []string{"api#1"}, Foresee(nil, beforeProd(0), noon).Available, "the stage is new")
}

func TestForeseeingTellsWhatARemovedStageCancelsQ18(t *testing.T) {
	for state, cancelled := range map[promotion.State]int{promotion.Queued: 1, promotion.Running: 1, promotion.WaitingForMerge: 1, promotion.Verifying: 1, promotion.Succeeded: 0, promotion.Failed: 0} {
		gone := inState(state)
		gone.Stage, gone.Removed = &promotion.Stage{Name: "dev", Index: -1}, true
		require.Len(t, Foresee(inState(state), gone, noon).Cancelled, cancelled, state)
	}
}

func TestAContrastTellsEachWayInWhichAStageDiffers(t *testing.T) {
	for want, edit := range map[string]func(s *promotion.Stage){
		"":      func(s *promotion.Stage) { s.Index = 7 },
		"takes": func(s *promotion.Stage) { s.From[0].After.Soak = time.Hour },
		"queue": func(s *promotion.Stage) { s.Queue = promotion.QueueFIFO },
		"drift": func(s *promotion.Stage) { s.Drift = promotion.DriftIgnore },
		"merge": func(s *promotion.Stage) { s.Merge = promotion.MergeManual },
		"changes": func(s *promotion.Stage) {
			s.Changes = append(s.Changes, promotion.Change{Path: "more.yaml"})
		},
		"verified by":    func(s *promotion.Stage) { s.Verify = []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "e2e"}} },
		"sign-offs":      func(s *promotion.Stage) { s.Approvals = 2 },
		"promotion":      func(s *promotion.Stage) { s.Automatic = false },
		"other settings": func(s *promotion.Stage) { s.Slack = "#prod" },
		"sign-offs, other settings": func(s *promotion.Stage) {
			s.Approvals, s.Freezes = 1, []promotion.Freeze{{}}
		},
	} {
		was, is := devPipeline().Stages[1], devPipeline().Stages[1]
		edit(is)
		var told []string
		for _, d := range say.Contrasts(was, is) {
			told = append(told, d.What)
		}
		require.Equal(t, want, strings.Join(told, ", "))
	}
}

func TestAProposalSaysNothingThatPeopleTypedAsMarkup(t *testing.T) {
	before, after := devPipeline(), devPipeline()
	after.Stages[1].Changes[0].Path = "`@everybody` <!-- --> [x](y)\n# big"
	after.Stages[1].Name = "x\"]\n```"
	text := say.Proposal{Before: before, After: after}.Summary()
	require.Contains(t, text, "changes `@everybody <!-- --> [x](y) # big`;", "in code nothing pings, links or formats")
	require.NotContains(t, text, "\n# big")
	require.Equal(t, 2, strings.Count(text, "```"), text)
}

package promotion

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// beforeProd is a snapshot of prod in which dev verified api#1 ten minutes ago, and prod asks for a soak.
func beforeProd(soak time.Duration) *Snapshot {
	p := devPipeline()
	p.Stages[1].From[0].After.Soak = soak
	f := freightNo(p, 1)
	since := noon.Add(-10 * time.Minute)
	return &Snapshot{Pipeline: p, Stage: p.Stages[1], Freight: []Freight{f}, Next: 2, NextID: 1,
		Records: [][]Record{{{Verdict: Passed, Since: since}}, {{}}}}
}

func TestForeseeingTellsWhatAShorterGateLetsInAndPromotes(t *testing.T) {
	is := Foresee(beforeProd(time.Hour), beforeProd(time.Minute), noon)
	require.Equal(t, Prospect{Stage: "prod", Available: []string{"api#1"}, Promoted: []string{"api#1"}}, is)
	require.Equal(t, Prospect{Stage: "prod", Promoted: []string{"api#1"}}, Foresee(beforeProd(0), beforeProd(time.Minute), noon),
		"it was available before")
	require.Equal(t, Prospect{Stage: "prod"}, Foresee(beforeProd(0), beforeProd(time.Hour), noon))
	require.Equal(t, []string{"api#1"}, Foresee(nil, beforeProd(0), noon).Available, "the stage is new")
}

func TestForeseeingTellsWhatARemovedStageCancelsQ18(t *testing.T) {
	for state, cancelled := range map[State]int{Queued: 1, Running: 1, WaitingForMerge: 1, Verifying: 1, Succeeded: 0, Failed: 0} {
		gone := inState(state)
		gone.Stage, gone.Removed = &Stage{Name: "dev", Index: -1}, true
		require.Len(t, Foresee(inState(state), gone, noon).Cancelled, cancelled, state)
	}
}

func TestAContrastTellsEachWayInWhichAStageDiffers(t *testing.T) {
	for want, edit := range map[string]func(s *Stage){
		"":      func(s *Stage) { s.Index = 7 },
		"takes": func(s *Stage) { s.From[0].After.Soak = time.Hour },
		"queue": func(s *Stage) { s.Queue = QueueFIFO },
		"drift": func(s *Stage) { s.Drift = DriftIgnore },
		"merge": func(s *Stage) { s.Merge = MergeManual },
		"changes": func(s *Stage) {
			s.Changes = append(s.Changes, Change{Path: "more.yaml"})
		},
		"verified by":    func(s *Stage) { s.Verify = []Matcher{{Kind: KindCheck, Pattern: "e2e"}} },
		"sign-offs":      func(s *Stage) { s.Approvals = 2 },
		"promotion":      func(s *Stage) { s.Automatic = false },
		"other settings": func(s *Stage) { s.Slack = "#prod" },
		"sign-offs, other settings": func(s *Stage) {
			s.Approvals, s.Freezes = 1, []Freeze{{}}
		},
	} {
		was, is := devPipeline().Stages[1], devPipeline().Stages[1]
		edit(is)
		var told []string
		for _, d := range contrasts(was, is) {
			told = append(told, d.What)
		}
		require.Equal(t, want, strings.Join(told, ", "))
	}
}

func TestAProposalSaysNothingThatPeopleTypedAsMarkup(t *testing.T) {
	before, after := devPipeline(), devPipeline()
	after.Stages[1].Changes[0].Path = "`@everybody` <!-- --> [x](y)\n# big"
	after.Stages[1].Name = "x\"]\n```"
	text := Proposal{Before: before, After: after}.Summary()
	require.Contains(t, text, "changes `@everybody <!-- --> [x](y) # big`;", "in code nothing pings, links or formats")
	require.NotContains(t, text, "\n# big")
	require.Equal(t, 2, strings.Count(text, "```"), text)
}

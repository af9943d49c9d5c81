package verify

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestWhatTheConclusionOfAWorkflowMeans(t *testing.T) {
	for state, want := range map[string]promotion.Verdict{
		"success": promotion.Passed, "failure": promotion.Bad, "timed_out": promotion.Bad,
		"startup_failure": promotion.Bad, "cancelled": promotion.Undecided, "action_required": promotion.Undecided,
		"stale": promotion.Undecided, "skipped": promotion.Undecided, "neutral": promotion.Undecided,
		"queued": promotion.Pending, "in_progress": promotion.Pending, "waiting": promotion.Pending,
	} {
		g := promotion.Signal{Kind: promotion.KindRun, State: state}
		require.Equal(t, want, outcome(&g, nil), state)
	}
}

// TestAWorkflowThatWasCancelledIsNotOvertaken: unlike a check, it does not run again for a later commit.
func TestAWorkflowThatWasCancelledIsNotOvertaken(t *testing.T) {
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: promotion.OnePlace(&promotion.Stage{Name: "dev"},
		promotion.Target{})}
	s.Stage.Targets[0].Verify = []promotion.Matcher{{Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev")}}
	s.Deployments = []promotion.Deployment{{Commit: "c1", Results: []promotion.TargetResult{{Step: 1, Commit: "c1"}}}}
	cancelled := promotion.Signal{Kind: promotion.KindRun, ID: 7, SHA: "c1", Name: promotion.RunSignal("dev"),
		State: "cancelled", Ended: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	s.Evidence = Gather(s, []promotion.Signal{cancelled}, nil,
		[]promotion.Push{{Before: "c1", After: "c2", Paths: []string{"README.md"}}})
	s.Evidence[0].Head = "c2"
	o, _ := JudgeOf(s, new(Sharing)).Target(&s.Deployments[0], &s.Deployments[0].Results[0], nil, cancelled.Ended)
	require.Equal(t, promotion.Undecided, o.Verdict)
}

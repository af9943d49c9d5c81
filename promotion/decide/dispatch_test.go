package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// starting is p1 of a stage that starts a workflow.
func starting() *promotion.Snapshot {
	s := inState(promotion.Running)
	s.Stage.Delivery, s.Stage.Targets[0].Changes = promotion.DeliveryWorkflow, nil
	s.Stage.Dispatch = &promotion.Dispatch{Workflow: "deploy.yml"}
	s.Stage.Targets[0].Verify = []promotion.Matcher{{
		Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev"), Appear: time.Minute, Timeout: time.Hour,
		Missing: promotion.LackHolds,
	}}
	return s
}

func TestAWorkflowTakesThePlaceOfAPullRequest(t *testing.T) {
	s := starting()
	d := Decide(s, noon)
	require.Equal(t, "dispatch p1", told(d))
	require.EqualValues(t, "dispatch/1/1", d.Wanted[0].Key())
	a := &s.Attempts[0]
	require.True(t, a.BeginStart(noon))
	a.Deliver(promotion.Made{Round: 1, Base: "c1", Head: "c1", At: noon.Add(-time.Second), URL: "https://x"})
	run := promotion.Signal{Kind: promotion.KindRun, ID: 7, SHA: "c1", Suite: 1, Name: promotion.RunSignal("dev"),
		State: "queued", Started: a.Made.At}
	hear(s, run)
	require.Equal(t, "p1 verifying", told(Decide(s, noon)))
	require.Equal(t, promotion.Link{What: promotion.OnRun, URL: "https://x"}, s.Link(1))
	run.State, run.Ended = "success", noon
	hear(s, run)
	require.Equal(t, "p1 verifying, p1 succeeded", told(Decide(s, noon)))
}

// TestNothingEndsWhatMayRunF2: while it is unknown whether the workflow runs, no event ends the promotion, and the
// workflow stays wanted.
func TestNothingEndsWhatMayRunF2(t *testing.T) {
	for name, happens := range map[string]func(s *promotion.Snapshot){
		"a cancel": ask(promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"}),
		"a hold": func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", At: noon}}
		},
		"the stage is removed": func(s *promotion.Snapshot) { s.Removed = true },
		"files instead": func(s *promotion.Snapshot) {
			s.Stage.Delivery, s.Stage.Dispatch = promotion.DeliveryPullRequest, nil
			s.Stage.Targets[0].Changes = []promotion.Change{{Path: "dev.yaml"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := starting()
			s.Attempts[0].BeginStart(noon)
			happens(s)
			d := Decide(s, noon)
			require.True(t, strings.HasSuffix(told(d), "dispatch p1"), told(d))
			require.NotContains(t, told(d), "p1 ")
			require.Empty(t, d.Answered)
		})
	}
	s := starting()
	s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", By: promotion.Actor{ID: 9, Login: "bob"}, At: noon}}
	require.Equal(t, "", told(Decide(s, noon)), "what has not begun is stopped")
	require.Equal(t, promotion.Because(promotion.Held, "bob"), Waits(s, noon)[0].Reason)
}

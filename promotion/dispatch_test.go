package promotion

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// starting is p1 of a stage that starts a workflow.
func starting() *Snapshot {
	s := inState(Running)
	s.Stage.Dispatch, s.Stage.Changes = &Dispatch{Workflow: "deploy.yml"}, nil
	s.Stage.Verify = []Matcher{{Kind: KindRun, Pattern: RunSignal("dev"), Appear: time.Minute, Timeout: time.Hour, Missing: LackHolds}}
	return s
}

func TestAWorkflowTakesThePlaceOfAPullRequest(t *testing.T) {
	s := starting()
	d := Decide(s, noon)
	require.Equal(t, "dispatch p1", told(d))
	require.EqualValues(t, "dispatch/1/1", d.Wanted[0].Key())
	a := &s.Attempts[0]
	a.Built, a.BaseSHA, a.HeadSHA, a.Landed, a.URL = 1, "c1", "c1", noon.Add(-time.Second), "https://x"
	run := Signal{Kind: KindRun, ID: 7, SHA: "c1", Name: RunSignal("dev"), State: "queued", Started: a.Landed}
	hear(s, run)
	require.Equal(t, "p1 verifying", told(Decide(s, noon)))
	require.Equal(t, Link{OnRun, "https://x"}, s.Link(1))
	run.State, run.Ended = "success", noon
	hear(s, run)
	require.Equal(t, "p1 verifying, p1 succeeded", told(Decide(s, noon)))
}

func TestWhatTheConclusionOfAWorkflowMeans(t *testing.T) {
	for state, want := range map[string]Verdict{
		"success": Passed, "failure": Bad, "timed_out": Bad, "startup_failure": Bad, "cancelled": Undecided, "action_required": Undecided,
		"stale": Undecided, "skipped": Undecided, "neutral": Undecided, "queued": Pending, "in_progress": Pending, "waiting": Pending,
	} {
		g := Signal{Kind: KindRun, State: state}
		require.Equal(t, want, g.outcome(nil), state)
	}
}

// TestAWorkflowThatWasCancelledIsNotOvertaken: unlike a check, it is not run again for a later commit.
func TestAWorkflowThatWasCancelledIsNotOvertaken(t *testing.T) {
	s := starting()
	s.Stays = []Stay{{Commit: "c1"}}
	cancelled := Signal{Kind: KindRun, ID: 7, SHA: "c1", Name: RunSignal("dev"), State: "cancelled", Ended: noon}
	s.Evidence = Gather(s, []Signal{cancelled}, nil, []Push{{Before: "c1", After: "c2", Paths: []string{"README.md"}}})
	require.Equal(t, SHA("c2"), s.Evidence[0].Head)
	require.Equal(t, Undecided, judgeOf(s).opinion(&judgeOf(s).trials(&s.Stays[0])[0], &s.Stage.Verify[0]).verdict)
}

// TestNothingEndsWhatMayRunF2: as long as nobody knows whether the workflow runs, it is asked for whatever happens.
func TestNothingEndsWhatMayRunF2(t *testing.T) {
	for name, happens := range map[string]func(s *Snapshot){
		"a cancel":             ask(Command{Verb: CmdCancel, Stage: "dev"}),
		"a hold":               func(s *Snapshot) { s.Holds = []Hold{{ID: 9, Stage: "dev", At: noon}} },
		"the stage is removed": func(s *Snapshot) { s.Removed = true },
		"files instead":        func(s *Snapshot) { s.Stage.Dispatch, s.Stage.Changes = nil, []Change{{Path: "dev.yaml"}} },
	} {
		t.Run(name, func(t *testing.T) {
			s := starting()
			s.Attempts[0].Dispatched = noon
			happens(s)
			d := Decide(s, noon)
			require.True(t, strings.HasSuffix(told(d), "dispatch p1"), told(d))
			require.NotContains(t, told(d), "p1 ")
			require.Empty(t, d.Answered)
		})
	}
	s := starting()
	s.Holds = []Hold{{ID: 9, Stage: "dev", By: Actor{ID: 9, Login: "bob"}, At: noon}}
	require.Equal(t, "", told(Decide(s, noon)), "what has not begun is stopped")
	require.Equal(t, Because(Held, "bob"), Waits(s, noon)[0].Reason)
}

func TestARunIsKnownByItsTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Deploy 1f0c9e2 (waybill/prod/42)": "waybill/prod/42 by waybill for prod",
		"waybill/eu-1.x_y/7":               "waybill/eu-1.x_y/7 by waybill for eu-1.x_y",
		"waybill/prod/42, again":           "waybill/prod/42 by waybill for prod",
		"Deploy (waybill/@4711/prod/42)":   "waybill/@4711/prod/42 by waybill/@4711 for prod",
		"waybill/4711/prod/42":             "", "waybill/@x/prod/42": "", "waybill/@4711/42": "",
		"Deploy": "", "xwaybill/prod/42": "", "waybill/prod/x": "", "waybill/prod/1234567890123456789012": "",
	} {
		name, starter, stage := RunOf(title)
		if want == "" {
			require.Empty(t, name+starter+string(stage), title)
			continue
		}
		require.Equal(t, want, fmt.Sprintf("%s by %s for %s", name, starter, stage), title)
	}
}

// TestARunOfAnotherPipelineIsNotTaken: two pipelines start workflows in the home of one of them, and number alike.
func TestARunOfAnotherPipelineIsNotTaken(t *testing.T) {
	here := &Pipeline{ID: 1, Home: "acme/deploy"}
	there := &Pipeline{ID: 2, Home: "acme/other"}
	require.Equal(t, "waybill/dev/7", here.RunName("acme/deploy", "dev", 7))
	require.Equal(t, "waybill/@2/dev/7", there.RunName("acme/deploy", "dev", 7))
	for _, of := range []*Pipeline{here, there} {
		run := WorkflowRun{ID: 7, SHA: "c1", Title: of.RunName("acme/deploy", "dev", 7), Created: noon}
		g, name := RunOfWorkflow("acme/deploy", run)
		require.Equal(t, run.Title, name)
		for _, p := range []*Pipeline{here, there} {
			m := Matcher{Kind: KindRun, Pattern: RunSignal("dev"), App: p.Starter("acme/deploy")}
			require.Equal(t, p == of, m.Names(&g), "%d, %d", p.ID, of.ID)
		}
	}
}

func TestWhatIsNoRunOfAPromotion(t *testing.T) {
	run := WorkflowRun{ID: 7, SHA: "c1", Title: "waybill/dev/1", Status: "completed", Conclusion: "success", Created: noon, Updated: noon.Add(time.Minute)}
	g, runName := RunOfWorkflow("acme/api", run)
	require.Equal(t, "waybill/dev/1", runName)
	require.Equal(t, Signal{Repo: "acme/api", Kind: KindRun, ID: 7, SHA: "c1", App: "waybill", Name: "workflow of dev", State: "success", Started: noon,
		Ended: noon.Add(time.Minute), Observed: noon.Add(time.Minute)}, g)
	for name, spoil := range map[string]func(*WorkflowRun){
		"title": func(r *WorkflowRun) { r.Title = "Deploy" }, "id": func(r *WorkflowRun) { r.ID = 0 },
		"commit": func(r *WorkflowRun) { r.SHA = "" }, "time": func(r *WorkflowRun) { r.Created = time.Time{} },
	} {
		other := run
		spoil(&other)
		_, runName := RunOfWorkflow("acme/api", other)
		require.Empty(t, runName, name)
	}
}

func TestWhatAStageWithAWorkflowSays(t *testing.T) {
	s := starting()
	at := Waits(s, noon)[0]
	require.Equal(t, "Starting its workflow", at.Title())
	require.Contains(t, planReport(s, s.Freight[0].ID, nil, Plan{}).Notes, "It starts the workflow deploy.yml, and changes no file.")
	require.Equal(t, "no file, it starts `deploy.yml`", s.Stage.files())
	require.False(t, s.Stage.PassThrough())
}

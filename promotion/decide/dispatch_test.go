package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/promotion/verify"

	"github.com/stretchr/testify/require"
)

// starting is p1 of a stage that starts a workflow.
func starting() *promotion.Snapshot {
	s := inState(promotion.Running)
	s.Stage.Dispatch, s.Stage.Changes = &promotion.Dispatch{Workflow: "deploy.yml"}, nil
	s.Stage.Verify = []promotion.Matcher{{Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev"), Appear: time.Minute, Timeout: time.Hour, Missing: promotion.LackHolds}}
	return s
}

func TestAWorkflowTakesThePlaceOfAPullRequest(t *testing.T) {
	s := starting()
	d := Decide(s, noon)
	require.Equal(t, "dispatch p1", told(d))
	require.EqualValues(t, "dispatch/1/1", d.Wanted[0].Key())
	a := &s.Attempts[0]
	a.Built, a.BaseSHA, a.HeadSHA, a.Landed, a.URL = 1, "c1", "c1", noon.Add(-time.Second), "https://x"
	run := promotion.Signal{Kind: promotion.KindRun, ID: 7, SHA: "c1", Name: promotion.RunSignal("dev"), State: "queued", Started: a.Landed}
	hear(s, run)
	require.Equal(t, "p1 verifying", told(Decide(s, noon)))
	require.Equal(t, promotion.Link{What: promotion.OnRun, URL: "https://x"}, s.Link(1))
	run.State, run.Ended = "success", noon
	hear(s, run)
	require.Equal(t, "p1 verifying, p1 succeeded", told(Decide(s, noon)))
}

func TestWhatTheConclusionOfAWorkflowMeans(t *testing.T) {
	for state, want := range map[string]promotion.Verdict{
		"success": promotion.Passed, "failure": promotion.Bad, "timed_out": promotion.Bad, "startup_failure": promotion.Bad, "cancelled": promotion.Undecided, "action_required": promotion.Undecided,
		"stale": promotion.Undecided, "skipped": promotion.Undecided, "neutral": promotion.Undecided, "queued": promotion.Pending, "in_progress": promotion.Pending, "waiting": promotion.Pending,
	} {
		g := promotion.Signal{Kind: promotion.KindRun, State: state}
		require.Equal(t, want, verify.Outcome(&g, nil), state)
	}
}

// TestAWorkflowThatWasCancelledIsNotOvertaken: unlike a check, it is not run again for a later commit.
func TestAWorkflowThatWasCancelledIsNotOvertaken(t *testing.T) {
	s := starting()
	s.Stays = []promotion.Stay{{Commit: "c1"}}
	cancelled := promotion.Signal{Kind: promotion.KindRun, ID: 7, SHA: "c1", Name: promotion.RunSignal("dev"), State: "cancelled", Ended: noon}
	s.Evidence = verify.Gather(s, []promotion.Signal{cancelled}, nil, []promotion.Push{{Before: "c1", After: "c2", Paths: []string{"README.md"}}})
	require.Equal(t, promotion.SHA("c2"), s.Evidence[0].Head)
	require.Equal(t, promotion.Undecided, verify.JudgeOf(s).Opinion(&verify.JudgeOf(s).Trials(&s.Stays[0])[0], &s.Stage.Verify[0]).Verdict)
}

// TestNothingEndsWhatMayRunF2: as long as nobody knows whether the workflow runs, it is asked for whatever happens.
func TestNothingEndsWhatMayRunF2(t *testing.T) {
	for name, happens := range map[string]func(s *promotion.Snapshot){
		"a cancel":             ask(promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"}),
		"a hold":               func(s *promotion.Snapshot) { s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", At: noon}} },
		"the stage is removed": func(s *promotion.Snapshot) { s.Removed = true },
		"files instead": func(s *promotion.Snapshot) {
			s.Stage.Dispatch, s.Stage.Changes = nil, []promotion.Change{{Path: "dev.yaml"}}
		},
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
	s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", By: promotion.Actor{ID: 9, Login: "bob"}, At: noon}}
	require.Equal(t, "", told(Decide(s, noon)), "what has not begun is stopped")
	require.Equal(t, promotion.Because(promotion.Held, "bob"), Waits(s, noon)[0].Reason)
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
		name, starter, stage := promotion.RunOf(title)
		if want == "" {
			require.Empty(t, name+starter+string(stage), title)
			continue
		}
		require.Equal(t, want, fmt.Sprintf("%s by %s for %s", name, starter, stage), title)
	}
}

// TestARunOfAnotherPipelineIsNotTaken: two pipelines start workflows in the home of one of them, and number alike.
func TestARunOfAnotherPipelineIsNotTaken(t *testing.T) {
	here := &promotion.Pipeline{ID: 1, Home: "acme/deploy"}
	there := &promotion.Pipeline{ID: 2, Home: "acme/other"}
	require.Equal(t, "waybill/dev/7", here.RunName("acme/deploy", "dev", 7))
	require.Equal(t, "waybill/@2/dev/7", there.RunName("acme/deploy", "dev", 7))
	for _, of := range []*promotion.Pipeline{here, there} {
		run := promotion.WorkflowRun{ID: 7, SHA: "c1", Title: of.RunName("acme/deploy", "dev", 7), Created: noon}
		g, name := promotion.RunOfWorkflow("acme/deploy", run)
		require.Equal(t, run.Title, name)
		for _, p := range []*promotion.Pipeline{here, there} {
			m := promotion.Matcher{Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev"), App: p.Starter("acme/deploy")}
			require.Equal(t, p == of, m.Names(&g), "%d, %d", p.ID, of.ID)
		}
	}
}

func TestWhatIsNoRunOfAPromotion(t *testing.T) {
	run := promotion.WorkflowRun{ID: 7, SHA: "c1", Title: "waybill/dev/1", Status: "completed", Conclusion: "success", Created: noon, Updated: noon.Add(time.Minute)}
	g, runName := promotion.RunOfWorkflow("acme/api", run)
	require.Equal(t, "waybill/dev/1", runName)
	require.Equal(t, promotion.Signal{Repo: "acme/api", Kind: promotion.KindRun, ID: 7, SHA: "c1", App: "waybill", Name: "workflow of dev", State: "success", Started: noon,
		Ended: noon.Add(time.Minute), Observed: noon.Add(time.Minute)}, g)
	for name, spoil := range map[string]func(*promotion.WorkflowRun){
		"title": func(r *promotion.WorkflowRun) { r.Title = "Deploy" }, "id": func(r *promotion.WorkflowRun) { r.ID = 0 },
		"commit": func(r *promotion.WorkflowRun) { r.SHA = "" }, "time": func(r *promotion.WorkflowRun) { r.Created = time.Time{} },
	} {
		other := run
		spoil(&other)
		_, runName := promotion.RunOfWorkflow("acme/api", other)
		require.Empty(t, runName, name)
	}
}

func TestWhatAStageWithAWorkflowSays(t *testing.T) {
	s := starting()
	at := Waits(s, noon)[0]
	require.Equal(t, "Starting its workflow", say.Title(at))
	require.Contains(t, planReport(s, s.Freight[0].ID, nil, promotion.Plan{}).Notes, "It starts the workflow deploy.yml, and changes no file.")
	require.Equal(t, "no file, it starts `deploy.yml`", say.Files(s.Stage))
	require.False(t, s.Stage.PassThrough())
}

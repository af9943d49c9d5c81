package act

import (
	"net/http"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Workflows acts on the workflows that stages start.
type Workflows struct {
	checkout  *ledger.Checkout
	commander *Commander
	developer *Developer
	gaps      *ledger.Gaps
	github    *githubsim.Server
	log       *ledger.Journal
	remote    *ledger.Remote
	program   Program
	signals   *ledger.Signals
}

// RepairWorkflows has a person restore the workflow files.
func (x *Workflows) RepairWorkflows() {
	lost := map[string]*string{}
	for path, text := range x.checkout.WorkflowFiles() {
		if is, _ := x.github.File(shape.Home, "main", path); is != text {
			lost[path] = &text
		}
	}
	_ = x.checkout.PushAt(shape.Here, "ann", "Mend", lost)
}

// conclusions are the results of runs.
var conclusions = []string{"success", "success", "failure", "cancelled", "timed_out", "skipped", "success", "neutral"}

// atWork changes a run of Waybill, a workflow file, or GitHub's answers about runs.
func (x *Workflows) atWork(a plan.Act) {
	all := x.checkout.Pipeline.Starters()
	if len(all) == 0 {
		return
	}
	s := all[a.B%len(all)]
	path, text := s.Workflow()
	runs := x.remote.Runs("waybill/" + s.Name + "/")
	switch {
	case a.A%9 == 7 && a.C%2 == 0:
		x.log.Note("  ann takes the workflow of %s away: %v", s.Name,
			x.checkout.PushAt(shape.Here, "ann", "Take away", map[string]*string{path: nil}))
		x.log.Told.Prose("(ann takes the workflow of %s away)", s.Name)
	case a.A%9 == 7:
		x.log.Note("  ann puts the workflow of %s back: %v", s.Name,
			x.checkout.PushAt(shape.Here, "ann", "Put back", map[string]*string{path: &text}))
	case a.A%9 == 8:
		x.gaps.Hidden = true
		x.github.Faults().FailNext(githubsim.Route{Method: http.MethodGet,
			Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"},
			githubsim.Fault{Status: http.StatusOK, Body: `{"total_count":0,"workflow_runs":[]}`, Times: 1 + a.C%12})
		x.log.Told.Prose("(GitHub lists runs late)")
	case a.A%9 == 3 || a.A%9 == 4:
		x.holdStart(a, s)
	case len(runs) == 0:
	case a.A%9 == 5:
		r := runs[len(runs)-1]
		x.log.Note("  somebody runs %s again: %v", r.Title, x.github.ContinueWorkflow(shape.Home, r.ID))
		x.log.Told.Prose("(somebody runs %s again)", r.Title)
	case a.A%9 == 6:
		x.impostor(runs[len(runs)-1])
	default:
		x.conclude(runs[max(0, len(runs)-1-a.C%8/7)], conclusions[a.C%len(conclusions)])
	}
}

// holdStart has a person hold a stage while the program does not know whether its workflow runs.
func (x *Workflows) holdStart(a plan.Act, s *shape.Stage) {
	fault := githubsim.Fault{Status: http.StatusBadGateway}
	if a.C%3 == 0 {
		fault = githubsim.Fault{LoseReply: true}
	}
	x.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost,
		Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"}, fault)
	x.log.Told.Prose("(GitHub does not say whether it starts the next workflow)")
	x.developer.Publish(a)
	x.program.Rest()
	x.commander.say("bob", "/hold "+s.Name, 0)
	x.program.Rest()
	x.program.Pass(3 * time.Minute)
}

// impostor has a person start a run with the name of a run of Waybill.
func (x *Workflows) impostor(r githubsim.DispatchedRun) {
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	id, err := x.github.StartWorkflow(shape.Home, name, "main", "workflow_dispatch", "ann")
	if err == nil {
		err = x.github.FinishWorkflow(shape.Home, id, "success")
	}
	x.log.Note("  a run of ann is called %s, too: %v", name, err)
	x.log.Told.Prose("(a run of ann is called %s, too)", name)
}

// conclude ends a run.
func (x *Workflows) conclude(r githubsim.DispatchedRun, how string) {
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	x.log.Note("  %s ends: %s: %v", r.Title, how, x.github.FinishWorkflow(shape.Home, r.ID, how))
	x.log.Told.Prose("(%s ends: %s)", r.Title, how)
	x.signals.Report("run", name, r.SHA, how)
}

// greenRun makes the last run of a stage succeed.
func (x *Workflows) greenRun(s *shape.Stage) {
	if runs := x.remote.Runs("waybill/" + s.Name + "/"); len(runs) > 0 && runs[len(runs)-1].Conclusion != "success" {
		x.conclude(runs[len(runs)-1], "success")
	}
}

package torture

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// nameOfRun is what the run of a promotion is called.
func nameOfRun(p promo) string { return fmt.Sprintf("waybill/%s/%d", p.stage, p.number) }

// runs are those that we have started, for one stage or for one promotion of it, the oldest first.
func (w *World) runs(called string) []githubsim.DispatchedRun {
	return slices.DeleteFunc(w.github.DispatchedRuns(shape.Home), func(r githubsim.DispatchedRun) bool {
		return r.Actor != "waybill[bot]" || !strings.Contains(r.Title, "("+called)
	})
}

// conclusions are those of runs.
var conclusions = []string{"success", "success", "failure", "cancelled", "timed_out", "skipped", "success", "neutral"}

// atWork has something happen to the runs of workflows that we have started, or to the workflows.
func (w *World) atWork(a Act) {
	all := w.pipeline.Starters()
	if len(all) == 0 {
		return
	}
	s := all[a.B%len(all)]
	path, text := s.Workflow()
	runs := w.runs("waybill/" + s.Name + "/")
	switch {
	case a.A%9 == 7 && a.C%2 == 0:
		w.note("  ann takes the workflow of %s away: %v", s.Name, w.pushAt(shape.Here, "ann", "Take away", map[string]*string{path: nil}))
		w.told.prose("(ann takes the workflow of %s away)", s.Name)
	case a.A%9 == 7:
		w.note("  ann puts the workflow of %s back: %v", s.Name, w.pushAt(shape.Here, "ann", "Put back", map[string]*string{path: &text}))
	case a.A%9 == 8:
		w.hidden = true
		w.github.Faults().FailNext(githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"},
			githubsim.Fault{Status: http.StatusOK, Body: `{"total_count":0,"workflow_runs":[]}`, Times: 1 + a.C%12})
		w.told.prose("(GitHub lists runs late)")
	case a.A%9 == 3 || a.A%9 == 4:
		w.holdStart(a, s)
	case len(runs) == 0:
	case a.A%9 == 5:
		r := runs[len(runs)-1]
		w.note("  somebody runs %s again: %v", r.Title, w.github.ContinueWorkflow(shape.Home, r.ID))
		w.told.prose("(somebody runs %s again)", r.Title)
	case a.A%9 == 6:
		w.impostor(runs[len(runs)-1])
	default:
		w.conclude(runs[max(0, len(runs)-1-a.C%8/7)], conclusions[a.C%len(conclusions)])
	}
}

// holdStart has a person hold a stage while nobody knows whether its workflow runs.
func (w *World) holdStart(a Act, s *shape.Stage) {
	fault := githubsim.Fault{Status: http.StatusBadGateway}
	if a.C%3 == 0 {
		fault = githubsim.Fault{LoseReply: true}
	}
	w.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"}, fault)
	w.told.prose("(GitHub does not say whether it starts the next workflow)")
	w.publish(a)
	w.rest()
	w.say("bob", "/hold "+s.Name, 0)
	w.rest()
	w.pass(3 * time.Minute)
}

// impostor has a person give a run of theirs the name of one of ours.
func (w *World) impostor(r githubsim.DispatchedRun) {
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	id, err := w.github.StartWorkflow(shape.Home, name, "main", "workflow_dispatch", "ann")
	if err == nil {
		err = w.github.FinishWorkflow(shape.Home, id, "success")
	}
	w.note("  a run of ann is called %s, too: %v", name, err)
	w.told.prose("(a run of ann is called %s, too)", name)
}

// conclude has a run end.
func (w *World) conclude(r githubsim.DispatchedRun, how string) {
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	w.note("  %s ends: %s: %v", r.Title, how, w.github.FinishWorkflow(shape.Home, r.ID, how))
	w.told.prose("(%s ends: %s)", r.Title, how)
	w.signals = append(w.signals, signal{"run", name, r.SHA, how, time.Now(), 0})
}

// greenRun has the last run of a stage succeed.
func (w *World) greenRun(s *shape.Stage) {
	if runs := w.runs("waybill/" + s.Name + "/"); len(runs) > 0 && runs[len(runs)-1].Conclusion != "success" {
		w.conclude(runs[len(runs)-1], "success")
	}
}

// worked returns since when a promotion's run has succeeded, and whether it ever has.
func (w *World) worked(p promo) (since time.Time, good bool) {
	for _, g := range w.signals {
		if g.kind == "run" && g.name == nameOfRun(p) && g.result == "success" {
			return g.at, true
		}
	}
	return since, false
}

// checkStarted looks at the run that a request has just started: it is one for each promotion, unless GitHub has not
// said that it starts one and does not list it either; it is given what its freight is, and none starts under a hold,
// or for what has ended.
func (w *World) checkStarted(h sight) {
	runs := w.runs("")
	if len(runs) == w.started {
		return
	}
	w.started = len(runs)
	r := runs[len(runs)-1]
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	p := w.seen.promotions[numberOf(name)]
	switch s, known := w.sourceOf(p); {
	case nameOfRun(p) != name || p.ended():
		w.broken("no workflow is started for what has ended", "%s, and p%d is %s", r.Title, p.number, p.state)
	case !known || r.Title != fmt.Sprintf("Deploy %s (%s)", s.value(), name):
		w.broken("a workflow is given what its freight is", "%s for %s", r.Title, p.name)
	case slices.ContainsFunc(h.holds, func(o hold) bool { return o.stops(p) }):
		w.broken("no workflow is started while it is held", "%s", r.Title)
	case len(w.runs(name+")")) == 1:
	case !w.hidden || w.count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND heard`, p.number) > 0:
		w.broken("a workflow is started once for each promotion", "%s", r.Title)
	}
}

// checkRun: the last run of a stage was given its last freight, and has succeeded.
func (w *World) checkRun(s shape.Stage, last source) {
	runs := w.runs("waybill/" + s.Name + "/")
	if len(runs) == 0 || runs[len(runs)-1].Conclusion != "success" || !strings.Contains(runs[len(runs)-1].Title, " "+last.value()+" ") {
		w.broken("the last freight is everywhere", "%s has run %v, and not for %s", s.Name, runs, last.value())
	}
}

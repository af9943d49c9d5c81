package githubsim

import (
	"slices"
	"time"

	"waybill/internal/githubsim/hub"
)

// Button is a button of a check run.
type Button struct{ Identifier, Label, Description string }

// Annotation is an annotation of a check run on lines of a file.
type Annotation struct {
	Path       string
	Start, End int
	Level      string // notice, warning or failure
	Title      string
	Message    string
}

// Status is a commit status for tests.
type Status struct {
	Context     string
	State       string // pending, success, failure or error
	Description string
	TargetURL   string
	Creator     string
	CreatedAt   time.Time
}

// Statuses lists the newest status of each context on a commit, oldest first.
func (o Observer) Statuses(repo, sha string) []Status {
	var statuses []Status
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, one := range slices.Backward(r.LatestStatuses(sha)) {
			statuses = append(statuses, Status{
				Context: one.Context, State: one.State, Description: one.Description, TargetURL: one.TargetURL,
				Creator: one.Creator.Login, CreatedAt: one.Created,
			})
		}
	})
	return statuses
}

// CheckRun finds a check run.
func (o Observer) CheckRun(repo string, id int64) (v CheckRun, found bool) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		if run, err := r.Run(id); err == nil {
			v, found = viewRun(run), true
		}
	})
	return v, found
}

// LatestCheckRuns lists the newest check run of each name in each suite on a commit, oldest first, as GitHub's pages
// do.
func (o Observer) LatestCheckRuns(repo, sha string) []CheckRun {
	var runs []CheckRun
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, run := range slices.Backward(r.LatestRuns(sha)) {
			runs = append(runs, viewRun(run))
		}
	})
	return runs
}

// OwnSuite returns the status of the check suite of the App under test on a commit; empty if there is none.
func (o Observer) OwnSuite(repo, sha string) (status string) {
	o.read(repo, func(h *hub.Hub, r *hub.Repository) {
		for _, s := range r.Suites {
			if s.App == h.Apps.Own && s.SHA == sha {
				status, _ = r.SuiteState(s)
			}
		}
	})
	return status
}

// buttons returns the buttons of a check run, as its App described them.
func buttons(run *hub.CheckRun) []Button {
	var buttons []Button
	for _, a := range run.Actions {
		buttons = append(buttons, Button{
			Identifier: word(a, "identifier"), Label: word(a, "label"), Description: word(a, "description"),
		})
	}
	return buttons
}

func remarks(run *hub.CheckRun) []Annotation {
	var remarks []Annotation
	for _, a := range run.Annotations {
		remarks = append(remarks, Annotation{
			Path: word(a, "path"), Start: number(a, "start_line"), End: number(a, "end_line"),
			Level: word(a, "annotation_level"), Title: word(a, "title"), Message: word(a, "message"),
		})
	}
	return remarks
}

func word(o obj, key string) string {
	text, _ := o[key].(string)
	return text
}

func number(o obj, key string) int {
	n, _ := o[key].(float64)
	return int(n)
}

// DispatchedRun is a workflow run that was started by workflow_dispatch.
type DispatchedRun struct {
	ID         int64
	Title      string
	Workflow   string
	SHA        string
	Actor      string
	Conclusion string
}

// DeploymentRule is a job with a deployment protection rule, for tests.
type DeploymentRule struct {
	State   string // approved, rejected, or empty while it waits
	Reports []string
}

// DispatchedRuns lists the runs of a repository that were started by workflow_dispatch, the oldest first.
func (o Observer) DispatchedRuns(repo string) (runs []DispatchedRun) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, run := range r.WorkflowRuns {
			if run.Event == "workflow_dispatch" {
				runs = append(runs, DispatchedRun{run.ID, run.Title, run.File, run.Suite.SHA, run.Actor.Login, run.Conclusion})
			}
		}
	})
	return runs
}

// DeploymentRule returns the state of a job's deployment protection rule, and the reports on it.
func (o Observer) DeploymentRule(repo string, run int64, environment string) (v DeploymentRule) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, one := range r.WorkflowRuns {
			if b := one.DeploymentRule(environment); one.ID == run && b != nil {
				v = DeploymentRule{State: b.State, Reports: append([]string(nil), b.Reports...)}
			}
		}
	})
	return v
}

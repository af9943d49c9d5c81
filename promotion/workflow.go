package promotion

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A stage without files starts a workflow of GitHub Actions. The promotion starts it with the values of its freight,
// and its conclusion is the verdict.

// Dispatch is the workflow that promotions into a stage start.
type Dispatch struct {
	Workflow string // the name of its file
	Inputs   []Input
}

// Input is a named value that is given to a workflow.
type Input struct {
	Name  string
	Value Template
}

// Path is where the workflow's file is in its repository.
func (d *Dispatch) Path() string { return ".github/workflows/" + d.Workflow }

// RunInput is the input by which a run is known: the workflow shows it in its `run-name`. Its value is the name of the
// run.
const RunInput = "waybill"

// RunName is the name of the run that a promotion starts in a repository. It never changes, so that a run is found
// again.
func (p *Pipeline) RunName(in Repo, stage StageName, n Number) string {
	return fmt.Sprintf("%s%s/%d", p.Prefix(in), stage, n)
}

var runNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(waybill/(?:@[0-9]{1,19}/)?)([A-Za-z0-9._-]{1,100})/[0-9]{1,18}\b`)
})

// RunOf finds the name of a run in its title, and returns who has started it, as Starter has it, and for which stage.
// The name is "" if no promotion has started the run.
func RunOf(title string) (name, starter string, stage StageName) {
	found := runNames().FindStringSubmatch(title)
	if found == nil {
		return "", "", ""
	}
	return found[0], starterOf(found[1]), StageName(found[2])
}

// Starter is the App of the runs that a pipeline starts in a repository: "waybill", or "waybill/@4711" outside its
// home.
func (p *Pipeline) Starter(in Repo) string { return starterOf(p.Prefix(in)) }

func starterOf(prefix string) string { return strings.TrimSuffix(prefix, "/") }

// RunSignal is the name, among signals, of the runs that promotions into a stage have started.
func RunSignal(stage StageName) string { return "workflow of " + string(stage) }

// WorkflowRun is a run of a workflow, as GitHub reports it.
type WorkflowRun struct {
	ID                 int64
	SHA                SHA
	Title              string
	Status, Conclusion string
	URL                string
	Created, Updated   time.Time
}

// RunOfWorkflow returns a run as a signal, and its name; the name is "" if no promotion has started the run.
func RunOfWorkflow(repo Repo, run WorkflowRun) (g Signal, name string) {
	name, starter, stage := RunOf(run.Title)
	if name == "" || run.ID == 0 || run.SHA == "" || run.Created.IsZero() {
		return Signal{}, ""
	}
	by, err := strconv.ParseInt(name[strings.LastIndex(name, "/")+1:], 10, 64)
	if err != nil {
		return Signal{}, "" // unreachable: it has at most 18 digits
	}
	g = Signal{
		Repo: repo, Kind: KindRun, ID: run.ID, SHA: run.SHA, App: starter, Name: RunSignal(stage), State: run.Status,
		Suite: by, URL: run.URL,
		Started: run.Created, Observed: run.Updated,
	}
	if run.Status == "completed" {
		g.State, g.Ended = run.Conclusion, run.Updated
	}
	return g, name
}

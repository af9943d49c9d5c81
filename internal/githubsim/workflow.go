package githubsim

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// workflowFile is what GitHub reads of a workflow's file before it starts it by hand.
type workflowFile struct {
	Name    string
	RunName string    `yaml:"run-name"`
	On      yaml.Node `yaml:"on"`
}

// workflowInput is how a workflow declares an input.
type workflowInput struct {
	Required bool
	Default  string
}

// touched is when the run has changed last.
func (run *workflowRun) touched() time.Time {
	if run.updated.IsZero() {
		return run.created
	}
	return run.updated
}

// path is where the file of the run's workflow is.
func (run *workflowRun) path() string {
	return ".github/workflows/" + orElse(run.file, run.name+".yml")
}

// dispatchWorkflow starts a workflow by hand, as GitHub does since 2026 with the run in the answer for those who ask for it.
func dispatchWorkflow(c *call) (reply, error) {
	var in struct {
		Ref     string
		Inputs  map[string]any
		Details bool `json:"return_run_details"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	file := c.params["workflow_id"]
	branch := strings.TrimPrefix(in.Ref, "refs/heads/")
	if main, _ := c.repo.git.Branch(c.repo.defaultBranch); c.repo.textOf(main, ".github/workflows/"+file) == nil {
		return reply{}, notFound()
	}
	sha, found := c.repo.git.Branch(branch)
	if !found {
		return reply{}, invalid("No ref found for: %s", in.Ref)
	}
	run, err := c.Workflows.Dispatch(c.repo, file, sha, branch, in.Inputs, c.who.account)
	if err != nil {
		return reply{}, err
	}
	if in.Details {
		self := "/actions/runs/" + itoa(run.id)
		return ok(obj{"workflow_run_id": run.id, "run_url": c.Render.API(c.repo, self), "html_url": c.Render.HTML(c.repo, self)}), nil
	}
	return reply{status: http.StatusNoContent}, nil
}

// Workflows runs workflows of GitHub Actions, as far as bots look at them.
type Workflows struct {
	clock  *Clock
	apps   *Apps
	events *Events
	checks *Checks
}

// Tell sends a workflow_run event.
func (ws *Workflows) Tell(r *repository, run *workflowRun, action string) {
	ws.events.OfRepo(r, "workflow_run", action, run.actor, run, nil)
}

// Dispatch makes the run that somebody has asked for.
func (ws *Workflows) Dispatch(r *repository, file, sha, branch string, given map[string]any, who *account) (*workflowRun, error) {
	text := r.textOf(sha, ".github/workflows/"+file)
	var workflow workflowFile
	if text == nil || yaml.Unmarshal([]byte(*text), &workflow) != nil {
		return nil, invalid("Workflow does not exist or does not have a workflow_dispatch trigger in this branch")
	}
	inputs, can := workflow.dispatches()
	if !can {
		return nil, invalid("Workflow does not have 'workflow_dispatch' trigger")
	}
	values := map[string]string{}
	for name, value := range given {
		if _, declared := inputs[name]; !declared {
			return nil, invalid("Unexpected inputs provided: [%q]", name)
		}
		values[name] = fmt.Sprint(value)
	}
	for name, input := range inputs {
		if _, is := values[name]; !is && input.Required && input.Default == "" {
			return nil, invalid("Required input '%s' not provided", name)
		} else if !is {
			values[name] = input.Default
		}
	}
	name := orElse(workflow.Name, ".github/workflows/"+file)
	suite := ws.checks.Suite(r, ws.apps.Named("github-actions"), fmt.Sprintf("%s %d", file, len(r.workflowRuns)), sha)
	suite.branch = branch
	run := &workflowRun{
		id: ws.clock.NextID(), suite: suite, name: name, title: filled(workflow.RunName, values), file: file, event: "workflow_dispatch", status: "queued",
		actor: who, created: ws.clock.Now(),
	}
	r.workflowRuns = append(r.workflowRuns, run)
	ws.Tell(r, run, "requested")
	return run, nil
}

// dispatches returns the inputs of a workflow, and whether it can be started by hand.
func (f *workflowFile) dispatches() (inputs map[string]workflowInput, can bool) {
	switch f.On.Kind {
	case yaml.ScalarNode:
		return nil, f.On.Value == "workflow_dispatch"
	case yaml.SequenceNode:
		return nil, slices.ContainsFunc(f.On.Content, func(n *yaml.Node) bool { return n.Value == "workflow_dispatch" })
	}
	var on map[string]struct{ Inputs map[string]workflowInput }
	if f.On.Decode(&on) != nil {
		return nil, false
	}
	event, can := on["workflow_dispatch"]
	return event.Inputs, can
}

var inputExpression = regexp.MustCompile(`\$\{\{\s*(?:github\.event\.)?inputs\.([A-Za-z0-9_-]+)\s*\}\}`)

// filled is a run-name with the inputs in their places.
func filled(name string, inputs map[string]string) string {
	return inputExpression.ReplaceAllStringFunc(name, func(expression string) string {
		return inputs[inputExpression.FindStringSubmatch(expression)[1]]
	})
}

// textOf returns a file of a commit, or nil if it is not there.
func (r *repository) textOf(sha, path string) *string {
	entry, err := r.git.Lookup(r.treeOf(sha), path)
	if err != nil {
		return nil
	}
	content, err := r.git.Blob(entry.SHA)
	if err != nil {
		return nil
	}
	text := string(content)
	return &text
}

// listRunsOfWorkflow lists the runs of one workflow, the newest first.
func listRunsOfWorkflow(c *call) (reply, error) {
	path := ".github/workflows/" + c.params["workflow_id"]
	if main, _ := c.repo.git.Branch(c.repo.defaultBranch); c.repo.textOf(main, path) == nil {
		return reply{}, notFound()
	}
	var found []*workflowRun
	for _, run := range slices.Backward(c.repo.workflowRuns) {
		if run.path() == path && c.query("event", run.event) == run.event {
			found = append(found, run)
		}
	}
	return counted(c, "workflow_runs", found, func(run *workflowRun) any { return c.Render.WorkflowRun(c.repo, run) }), nil
}

// DispatchedRun is a run that somebody has started by hand.
type DispatchedRun struct {
	ID         int64
	Title      string
	Workflow   string
	SHA        string
	Actor      string
	Conclusion string
}

// DispatchedRuns lists the runs of a repository that were started by hand, the oldest first.
func (s *Server) DispatchedRuns(repo string) (runs []DispatchedRun) {
	s.read(repo, func(_ *Hub, r *repository) {
		for _, run := range r.workflowRuns {
			if run.event == "workflow_dispatch" {
				runs = append(runs, DispatchedRun{run.id, run.title, run.file, run.suite.sha, run.actor.login, run.conclusion})
			}
		}
	})
	return runs
}

package hub

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// WorkflowRun is one run of a GitHub Actions workflow, with the parts that bots use.
type WorkflowRun struct {
	ID              int64
	Suite           *CheckSuite
	Name            string
	Event           string
	Status          string
	Conclusion      string
	Actor           *Account
	Created         time.Time
	updated         time.Time         // zero: unchanged since it was created
	Title           string            // the evaluated run-name; empty: the name
	File            string            // of the workflow; empty: derived from the name
	deploymentRules []*DeploymentRule // of the environments of its jobs
}

// Workflows runs workflows of GitHub Actions, with the parts that bots use.
type Workflows struct {
	clock  *Clock
	apps   *Apps
	events *Events
	checks *Checks
}

// tell sends a workflow_run event.
func (ws *Workflows) tell(r *Repository, run *WorkflowRun, action string) {
	ws.events.OfRepo(r, "workflow_run", action, run.Actor, run, nil)
}

// Start begins a run of a workflow on a commit. Its jobs are check runs in the suite of the workflow's name.
func (ws *Workflows) Start(r *Repository, name, sha, event string, who *Account) *WorkflowRun {
	suite := ws.checks.Suite(r, ws.apps.Named("github-actions"), name, sha)
	run := &WorkflowRun{
		ID: ws.clock.NextID(), Suite: suite, Name: name, Event: event, Status: "queued", Actor: who, Created: ws.clock.Now(),
	}
	r.WorkflowRuns = append(r.WorkflowRuns, run)
	ws.tell(r, run, "requested")
	return run
}

// Change continues a run, or ends it.
func (ws *Workflows) Change(r *Repository, run *WorkflowRun, status, conclusion string) {
	run.Status, run.Conclusion, run.updated = status, conclusion, ws.clock.Now()
	ws.tell(r, run, status)
}

// WorkflowRun finds a run of a workflow.
func (r *Repository) WorkflowRun(id int64) (*WorkflowRun, error) {
	for _, run := range r.WorkflowRuns {
		if run.ID == id {
			return run, nil
		}
	}
	return nil, NotFound()
}

// Dispatch starts a workflow by workflow_dispatch.
func (ws *Workflows) Dispatch(r *Repository, file, sha, branch string, given map[string]any,
	who *Account) (*WorkflowRun, error) {
	text := r.git.TextOf(sha, ".github/workflows/"+file)
	var workflow workflowFile
	if text == nil || yaml.Unmarshal([]byte(*text), &workflow) != nil {
		return nil, Invalid("Workflow does not exist or does not have a workflow_dispatch trigger in this branch")
	}
	inputs, can := workflow.dispatches()
	if !can {
		return nil, Invalid("Workflow does not have 'workflow_dispatch' trigger")
	}
	values := map[string]string{}
	for name, value := range given {
		if _, declared := inputs[name]; !declared {
			return nil, Invalid("Unexpected inputs provided: [%q]", name)
		}
		values[name] = fmt.Sprint(value)
	}
	for name, input := range inputs {
		if _, is := values[name]; !is && input.Required && input.Default == "" {
			return nil, Invalid("Required input '%s' not provided", name)
		} else if !is {
			values[name] = input.Default
		}
	}
	name := cmp.Or(workflow.Name, ".github/workflows/"+file)
	suite := ws.checks.Suite(r, ws.apps.Named("github-actions"), fmt.Sprintf("%s %d", file, len(r.WorkflowRuns)), sha)
	suite.Branch = branch
	run := &WorkflowRun{
		ID: ws.clock.NextID(), Suite: suite, Name: name, Title: filled(workflow.RunName, values), File: file,
		Event: "workflow_dispatch", Status: "queued",
		Actor: who, Created: ws.clock.Now(),
	}
	r.WorkflowRuns = append(r.WorkflowRuns, run)
	ws.tell(r, run, "requested")
	return run, nil
}

// workflowFile has the parts of a workflow's file that workflow_dispatch needs.
type workflowFile struct {
	Name    string
	RunName string    `yaml:"run-name"`
	On      yaml.Node `yaml:"on"`
}

// workflowInput is the declaration of an input of a workflow.
type workflowInput struct {
	Required bool
	Default  string
}

// Touched returns the time of a run's last change.
func (run *WorkflowRun) Touched() time.Time {
	if run.updated.IsZero() {
		return run.Created
	}
	return run.updated
}

// Path returns the path of the file of the run's workflow.
func (run *WorkflowRun) Path() string {
	return ".github/workflows/" + cmp.Or(run.File, run.Name+".yml")
}

// dispatches returns the inputs of a workflow, and whether it has the trigger workflow_dispatch.
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

// filled returns a run-name with the values of the inputs.
func filled(name string, inputs map[string]string) string {
	return inputExpression.ReplaceAllStringFunc(name, func(expression string) string {
		return inputs[inputExpression.FindStringSubmatch(expression)[1]]
	})
}

package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/hub"
)

// dispatchWorkflow starts a workflow. Since 2026 GitHub returns the run if the request asks for it.
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
	if main, _ := c.repo.Seen().Branch(c.repo.Seen().DefaultBranch()); c.repo.Seen().TextOf(main,
		".github/workflows/"+file) == nil {
		return reply{}, hub.NotFound()
	}
	sha, found := c.repo.Seen().Branch(branch)
	if !found {
		return reply{}, hub.Invalid("No ref found for: %s", in.Ref)
	}
	run, err := c.Workflows.Dispatch(c.repo, file, sha, branch, in.Inputs, c.who.Account)
	if err != nil {
		return reply{}, err
	}
	if in.Details {
		self := "/actions/runs/" + strconv.FormatInt(run.ID, 10)
		return ok(obj{
			"workflow_run_id": run.ID, "run_url": c.Render.API(c.repo, self), "html_url": c.Render.HTML(c.repo, self),
		}), nil
	}
	return reply{Status: http.StatusNoContent}, nil
}

// listRunsOfWorkflow lists the runs of one workflow, the newest first.
func listRunsOfWorkflow(c *call) (reply, error) {
	path := ".github/workflows/" + c.params["workflow_id"]
	if main, _ := c.repo.Seen().Branch(c.repo.Seen().DefaultBranch()); c.repo.Seen().TextOf(main, path) == nil {
		return reply{}, hub.NotFound()
	}
	var found []*hub.WorkflowRun
	for _, run := range slices.Backward(c.repo.WorkflowRuns) {
		if run.Path() == path && c.query("event", run.Event) == run.Event {
			found = append(found, run)
		}
	}
	return counted(c, "workflow_runs", found, func(run *hub.WorkflowRun) any {
		return c.Render.WorkflowRun(c.repo,
			run)
	}), nil
}

func listWorkflowRuns(c *call) (reply, error) {
	var found []*hub.WorkflowRun
	for _, run := range c.repo.WorkflowRuns {
		if c.query("head_sha", run.Suite.SHA) == run.Suite.SHA && c.query("branch", run.Suite.Branch) == run.Suite.Branch {
			found = append([]*hub.WorkflowRun{run}, found...)
		}
	}
	return counted(c, "workflow_runs", found, func(run *hub.WorkflowRun) any {
		return c.Render.WorkflowRun(c.repo,
			run)
	}), nil
}

func showWorkflowRun(c *call) (reply, error) {
	run, err := c.workflowRun()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.WorkflowRun(c.repo, run)), nil
}

// workflowRun finds the run that the path names.
func (c *call) workflowRun() (*hub.WorkflowRun, error) {
	for _, run := range c.repo.WorkflowRuns {
		if strconv.FormatInt(run.ID, 10) == c.params["run_id"] {
			return run, nil
		}
	}
	return nil, hub.NotFound()
}

// answerDeploymentRule approves a job, rejects it, or only reports.
func answerDeploymentRule(c *call) (reply, error) {
	var in struct {
		Environment string `json:"environment_name"`
		State       string
		Comment     string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	run, err := c.workflowRun()
	if err != nil {
		return reply{}, err
	}
	if err := c.Workflows.AnswerDeploymentRule(run, in.Environment, in.State, in.Comment); err != nil {
		return reply{}, err
	}
	return reply{Status: http.StatusNoContent}, nil
}

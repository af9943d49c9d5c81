package githubsim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

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
	if main, _ := c.repo.git.Branch(c.repo.git.DefaultBranch()); c.repo.git.TextOf(main, ".github/workflows/"+file) == nil {
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
		self := "/actions/runs/" + strconv.FormatInt(run.id, 10)
		return ok(obj{"workflow_run_id": run.id, "run_url": c.Render.API(c.repo, self), "html_url": c.Render.HTML(c.repo, self)}), nil
	}
	return reply{status: http.StatusNoContent}, nil
}

// listRunsOfWorkflow lists the runs of one workflow, the newest first.
func listRunsOfWorkflow(c *call) (reply, error) {
	path := ".github/workflows/" + c.params["workflow_id"]
	if main, _ := c.repo.git.Branch(c.repo.git.DefaultBranch()); c.repo.git.TextOf(main, path) == nil {
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

func listWorkflowRuns(c *call) (reply, error) {
	var found []*workflowRun
	for _, run := range c.repo.workflowRuns {
		if c.query("head_sha", run.suite.sha) == run.suite.sha && c.query("branch", run.suite.branch) == run.suite.branch {
			found = append([]*workflowRun{run}, found...)
		}
	}
	return counted(c, "workflow_runs", found, func(run *workflowRun) any { return c.Render.WorkflowRun(c.repo, run) }), nil
}

func showWorkflowRun(c *call) (reply, error) {
	run, err := c.workflowRun()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.WorkflowRun(c.repo, run)), nil
}

// workflowRun finds the run that the path names.
func (c *call) workflowRun() (*workflowRun, error) {
	for _, run := range c.repo.workflowRuns {
		if strconv.FormatInt(run.id, 10) == c.params["run_id"] {
			return run, nil
		}
	}
	return nil, notFound()
}

// answerBarrier lets a job go on, turns it away, or only reports.
func answerBarrier(c *call) (reply, error) {
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
	if err := c.Workflows.AnswerBarrier(run, in.Environment, in.State, in.Comment); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, nil
}

package handlers

import (
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// run decodes a run of a workflow, if a promotion has started it: a run of that name by another starter decides
// nothing.
func (us Self) run(e *github.WorkflowRunEvent) (Facts, error) {
	f, run := us.about(e.Repo, e.Installation, e.Sender), e.GetWorkflowRun()
	if !f.named() || run.GetID() == 0 {
		return Facts{}, incomplete("workflow_run")
	}
	signal, name := promotion.RunOfWorkflow(f.Repo, promotion.WorkflowRun{
		ID: run.GetID(), SHA: promotion.SHA(run.GetHeadSHA()), Title: run.GetDisplayTitle(), Status: run.GetStatus(),
		Conclusion: run.GetConclusion(), URL: run.GetHTMLURL(), Created: at(run.CreatedAt), Updated: at(run.UpdatedAt),
	})
	if name != "" && run.GetEvent() == "workflow_dispatch" && us.is(run.Actor) {
		f.Signals = append(f.Signals, signal)
	}
	return f, nil
}

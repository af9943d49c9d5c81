package handlers

import (
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// run decodes a run of a workflow that a promotion has started. Runs of that name by other senders decide nothing.
func (us Self) run(e *github.WorkflowRunEvent) (Told, error) {
	f, run := us.about(e.Repo, e.Installation, e.Sender), e.GetWorkflowRun()
	if !f.named() || run.GetID() == 0 {
		return Told{}, incomplete("workflow_run")
	}
	signal, name := promotion.RunOfWorkflow(f.Repo, promotion.WorkflowRun{
		ID: run.GetID(), SHA: promotion.SHA(run.GetHeadSHA()), Title: run.GetDisplayTitle(), Status: run.GetStatus(),
		Conclusion: run.GetConclusion(), URL: run.GetHTMLURL(), Created: at(run.CreatedAt), Updated: at(run.UpdatedAt),
	})
	if name != "" && run.GetEvent() == "workflow_dispatch" && us.is(run.Actor) {
		f.tell(&signal)
	}
	return f, nil
}

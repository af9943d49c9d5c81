package handlers

import (
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// run decodes a run of a workflow that a promotion has started. Runs of that name by other senders decide nothing. That
// a run goes on, GitHub tells without its title: such a signal has no name.
func (us Self) run(e *github.WorkflowRunEvent) (Told, error) {
	f, run := us.about(e.Repo, e.Installation, e.Sender), e.GetWorkflowRun()
	if !f.named() || run.GetID() == 0 {
		return Told{}, incomplete("workflow_run")
	}
	seen := promotion.WorkflowRun{
		ID: run.GetID(), SHA: promotion.SHA(run.GetHeadSHA()), Title: run.GetDisplayTitle(), Status: run.GetStatus(),
		Conclusion: run.GetConclusion(), URL: run.GetHTMLURL(), Created: at(run.CreatedAt), Updated: at(run.UpdatedAt),
	}
	signal, name := promotion.RunOfWorkflow(f.Repo, seen)
	goesOn := e.GetAction() == "in_progress" && seen.Title == "" && seen.SHA != "" && !seen.Created.IsZero()
	if goesOn {
		signal = promotion.Signal{
			Repo: f.Repo, Kind: promotion.KindRun, ID: seen.ID, SHA: seen.SHA, State: seen.Status, URL: seen.URL,
			Started: seen.Created, Observed: seen.Updated,
		}
	}
	if (name != "" || goesOn) && run.GetEvent() == "workflow_dispatch" && us.is(run.Actor) {
		f.tell(&signal)
	}
	return f, nil
}

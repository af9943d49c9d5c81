package gh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Run is a run of a workflow that a promotion has started.
type Run struct {
	Name    string        // that the promotion has given it
	SHA     promotion.SHA // that it runs on
	Created time.Time
	URL     string
	Signal  promotion.Signal
}

// Start starts a workflow on a branch. GitHub does not say which run that makes: Runs finds it by its name. After an
// error that is not ErrRefused it is not known whether it was started.
func (wf Workflows) Start(ctx context.Context, file, branch string, inputs map[string]any) error {
	client, err := wf.actions(ctx, "write")
	if err != nil {
		return wf.c.wrong(err, "start workflow %s", file)
	}
	_, err = client.Actions.CreateWorkflowDispatchEventByFileName(
		ctx, wf.c.owner, wf.c.name, file, github.CreateWorkflowDispatchEventRequest{Ref: branch, Inputs: inputs},
	)
	err = classify(err)
	if !errors.Is(err, ErrLacking) && (errors.Is(err, ErrNotFound) || errors.Is(err, ErrNoAccess)) {
		if lost := wf.c.lost(ctx); lost != nil {
			return lost
		}
		err = refused("%s; is the workflow active, and has the App the permission Actions: read and write?", err)
	}
	return wf.c.wrong(err, "start workflow %s", file)
}

// Runs lists the runs of a workflow that promotions have started since a time, the newest first. A run to which another
// starter has given the name of a promotion is none of them.
func (wf Workflows) Runs(ctx context.Context, file string, since time.Time) (runs []Run, err error) {
	self, err := wf.c.self(ctx)
	if err != nil {
		return nil, err
	}
	client, err := wf.actions(ctx, "read")
	if err != nil {
		return nil, wf.c.wrong(err, "list the runs of %s", file)
	}
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := client.Actions.ListWorkflowRunsByFileName(
			ctx, wf.c.owner, wf.c.name, file,
			&github.ListWorkflowRunsOptions{Event: "workflow_dispatch", ExcludePullRequests: true, ListOptions: *page},
		)
		if err != nil {
			return nil, err
		}
		for _, one := range some.WorkflowRuns {
			if utc(one.CreatedAt).Before(since) {
				return &github.Response{}, nil // those behind it are older still
			}
			if run, is := wf.run(one, self); is {
				runs = append(runs, run)
			}
		}
		return response, nil
	})
	return runs, wf.c.wrong(err, "list the runs of %s", file)
}

// run is a run of a workflow, if a promotion has started it.
func (wf Workflows) run(one *github.WorkflowRun, self Self) (Run, bool) {
	signal, name := promotion.RunOfWorkflow(wf.c.repo, promotion.WorkflowRun{
		ID: one.GetID(), SHA: promotion.SHA(one.GetHeadSHA()), Title: one.GetDisplayTitle(), Status: one.GetStatus(),
		Conclusion: one.GetConclusion(), URL: one.GetHTMLURL(), Created: utc(one.CreatedAt), Updated: utc(one.UpdatedAt),
	})
	return Run{name, signal.SHA, signal.Started, signal.URL, signal}, name != "" && self.is(one.Actor)
}

// actions returns a client that may read, or start, workflows and their runs, and nothing else: an installation that
// does not grant that has everything but them.
func (wf Workflows) actions(ctx context.Context, may string) (*github.Client, error) {
	i, err := wf.c.by(ctx)
	if err != nil {
		return nil, err
	}
	read := "read"
	return wf.c.hub.rest(i.http(fmt.Sprintf("%d %s actions %s", i.id, wf.c.repo, may), github.InstallationTokenOptions{
		Repositories: []string{wf.c.name},
		Permissions:  &github.InstallationPermissions{Metadata: &read, Actions: &may},
	})), nil
}

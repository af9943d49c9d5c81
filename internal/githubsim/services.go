package githubsim

import (
	"cmp"
	"fmt"
	"time"

	"waybill/internal/githubsim/hub"
)

// CheckSpec is a check run that CI makes.
type CheckSpec struct {
	Name string
	SHA  string // commit, branch or tag
	// Suite distinguishes the suites of one App on one commit, as workflows do. There is one check_suite for each App,
	// suite and commit.
	Suite string
	// Branch is the branch of the suite. If empty, it is a branch with the commit as its head.
	Branch string
	App    string // slug; github-actions by default
	// Status is queued, in_progress or completed. The default is completed if there is a Conclusion, else queued.
	Status      string
	Conclusion  string
	StartedAt   time.Time // now if zero
	CompletedAt time.Time // now if zero and completed
	Title       string
	Summary     string
	DetailsURL  string
	ExternalID  string
}

// CreateCheckRun makes a check run as an App and returns its id.
func (s Services) CreateCheckRun(repo string, spec CheckSpec) (int64, error) {
	var id int64
	err := s.onApp("create check run in", repo, spec.App, func(h *hub.Hub, r *hub.Repository, a *hub.App) error {
		sha, err := r.Git().CommitNamed(spec.SHA)
		if err != nil {
			return err
		}
		suite := h.Checks.Suite(r, a, spec.Suite, sha)
		suite.Branch = cmp.Or(spec.Branch, suite.Branch)
		in := spec.change()
		in.Name, in.HeadSHA, in.Suite, in.ExternalID = &spec.Name, sha, spec.Suite, &spec.ExternalID
		run, err := h.Checks.Create(r, a, in)
		if err == nil {
			id = run.ID
		}
		return err
	})
	return id, err
}

// UpdateCheckRun changes a check run as the App that created it. It reads only Status, Conclusion, the times, Title,
// Summary and DetailsURL.
func (s Services) UpdateCheckRun(repo string, id int64, spec CheckSpec) error {
	return s.onApp("update check run in", repo, spec.App, func(h *hub.Hub, r *hub.Repository, a *hub.App) error {
		run, err := r.Run(id)
		if err != nil {
			return err
		}
		_, err = h.Checks.Update(r, run, run.Suite.App, spec.change())
		return err
	})
}

// change converts a spec to a change of a run.
func (spec CheckSpec) change() hub.RunChange {
	in := hub.RunChange{}
	text := func(target **string, value string) {
		if value != "" {
			*target = &value
		}
	}
	text(&in.Status, spec.Status)
	text(&in.Conclusion, spec.Conclusion)
	text(&in.DetailsURL, spec.DetailsURL)
	if !spec.StartedAt.IsZero() {
		in.StartedAt = &spec.StartedAt
	}
	if !spec.CompletedAt.IsZero() {
		in.CompletedAt = &spec.CompletedAt
	}
	if spec.Title != "" || spec.Summary != "" {
		in.Output = &hub.RunOutput{Title: &spec.Title, Summary: &spec.Summary}
	}
	return in
}

func (s Services) onApp(what, repo, slug string, change func(h *hub.Hub, r *hub.Repository, a *hub.App) error) error {
	return s.act(what+" "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(h, r, h.Apps.Named(cmp.Or(slug, "github-actions")))
	})
}

// DeleteCheckRun deletes a check run, as GitHub's retention does.
func (s Services) DeleteCheckRun(repo string, id int64) error {
	return s.act("delete check run in "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return h.Checks.Delete(r, id)
	})
}

// CreateStatus sets a commit status as a person or service.
func (s Services) CreateStatus(repo, ref, login, context, state, description string) error {
	return s.onRepo("set status in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, err := r.Git().CommitNamed(ref)
		if err != nil {
			return err
		}
		_, err = h.Checks.SetStatus(r, sha, hub.StatusSpec{State: state, Context: context, Description: description}, who)
		return err
	})
}

// CreateDeployment makes a deployment of a commit as a person or service (no auto-merge, no required contexts) and
// returns its id.
func (s Services) CreateDeployment(repo, ref, login, environment string) (int64, error) {
	var id int64
	err := s.onRepo("deploy", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, err := r.Git().CommitNamed(ref)
		if err != nil {
			return err
		}
		no := false
		d, err := h.Deployments.Create(r, hub.DeploymentSpec{
			Ref: sha, AutoMerge: &no, RequiredContexts: &[]string{}, Environment: environment,
		}, who, nil)
		if err == nil {
			id = d.ID
		}
		return err
	})
	return id, err
}

// DeleteDeployment deletes a deployment, as deleting its environment does.
func (s Services) DeleteDeployment(repo string, id int64) error {
	return s.onOwnRepo("delete deployment in", repo, func(h *hub.Hub, r *hub.Repository) error {
		d, err := r.Deployment(id)
		h.Deployments.Delete(r, d)
		return err
	})
}

// CreateDeploymentStatus sets a status of a deployment.
func (s Services) CreateDeploymentStatus(repo string, id int64, login, state string) error {
	return s.onRepo("set deployment status in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		d, err := r.Deployment(id)
		if err != nil {
			return err
		}
		_, err = h.Deployments.SetStatus(r, d, hub.DeploymentStatusSpec{State: state}, who, nil)
		return err
	})
}

// StartWorkflow starts a run of a GitHub Actions workflow on a commit and returns its id. Its jobs are check runs in
// the suite of the workflow's name.
func (s Services) StartWorkflow(repo, name, ref, event, login string) (int64, error) {
	var id int64
	err := s.onRepo("start workflow in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, err := r.Git().CommitNamed(ref)
		if err != nil {
			return err
		}
		id = h.Workflows.Start(r, name, sha, event, who).ID
		return nil
	})
	return id, err
}

// ContinueWorkflow continues a run of a workflow, as a re-run does.
func (s Services) ContinueWorkflow(repo string, id int64) error {
	return s.changeWorkflow(repo, id, "in_progress", "")
}

// FinishWorkflow ends a run of a workflow.
func (s Services) FinishWorkflow(repo string, id int64, conclusion string) error {
	return s.changeWorkflow(repo, id, "completed", conclusion)
}

func (s Services) changeWorkflow(repo string, id int64, status, conclusion string) error {
	return s.act("finish workflow in "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		run, err := r.WorkflowRun(id)
		if err == nil {
			h.Workflows.Change(r, run, status, conclusion)
		}
		return err
	})
}

// AskToDeploy makes a job of a workflow run wait before an environment for the App under test.
func (s Services) AskToDeploy(repo string, run int64, environment string) error {
	return s.onOwnRepo("ask to deploy in", repo, func(h *hub.Hub, r *hub.Repository) error {
		one, err := r.WorkflowRun(run)
		if err == nil {
			h.Workflows.AskDeploymentRule(r, one, environment)
		}
		return err
	})
}

// PushImage pushes an image from a workflow of a repository. An existing tag moves.
func (s Services) PushImage(repo, login string, spec hub.ImageSpec) error {
	return s.onRepo("push image from", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		return h.Images.Push(r, who, spec)
	})
}

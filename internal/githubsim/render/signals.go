package render

import "waybill/internal/githubsim/hub"

import (
	"cmp"
	"strconv"
)

// run renders a check run.
func (v *Renderer) run(r *hub.Repository, run *hub.CheckRun) obj {
	self := v.API(r, "/check-runs/"+strconv.FormatInt(run.ID, 10))
	return obj{
		"id": run.ID, "node_id": NodeID("CR", run.ID), "name": run.Name, "head_sha": run.Suite.SHA,
		"external_id": run.ExternalID,
		"url":         self, "html_url": v.HTML(r, "/runs/"+strconv.FormatInt(run.ID, 10)),
		"details_url": cmp.Or(run.DetailsURL, v.HTML(r, "/runs/"+strconv.FormatInt(run.ID, 10))),
		"status":      run.Status, "conclusion": Optional(run.Conclusion), "started_at": Stamp(run.Started),
		"completed_at": Stamp(run.Completed),
		"output": obj{
			"title": Optional(run.Title), "summary": Optional(run.Summary), "text": Optional(run.Text),
			"annotations_count": len(run.Annotations), "annotations_url": self + "/annotations",
		},
		"check_suite": v.suiteOfRun(r, run.Suite), "app": v.App(run.Suite.App),
		"pull_requests": v.pullsOfHead(r, run.Suite.SHA),
	}
}

// RunRef is like run, but has only the id of the suite, as in the REST API.
func (v *Renderer) RunRef(r *hub.Repository, run *hub.CheckRun) obj {
	j := v.run(r, run)
	j["check_suite"] = obj{"id": run.Suite.ID}
	return j
}

// suiteOfRun renders the suite inside a check_run event, which has fewer fields than the suite itself.
func (v *Renderer) suiteOfRun(r *hub.Repository, s *hub.CheckSuite) obj {
	j := v.Suite(r, s)
	for _, key := range []string{
		"check_runs_url", "head_commit", "latest_check_runs_count", "rerequestable", "runs_rerequestable",
	} {
		delete(j, key)
	}
	return j
}

// Suite renders a check suite.
func (v *Renderer) Suite(r *hub.Repository, s *hub.CheckSuite) obj {
	status, conclusion := r.SuiteState(s)
	self := v.API(r, "/check-suites/"+strconv.FormatInt(s.ID, 10))
	return obj{
		"id": s.ID, "node_id": NodeID("CS", s.ID), "head_branch": Optional(s.Branch), "head_sha": s.SHA, "status": status,
		"conclusion": Optional(conclusion), "url": self, "before": Optional(s.Before), "after": s.SHA, "app": v.App(s.App),
		"pull_requests": v.pullsOfHead(r, s.SHA), "created_at": Stamp(s.Created), "updated_at": Stamp(s.Updated),
		"latest_check_runs_count": len(hub.LatestByName(r.RunsOf(s))), "check_runs_url": self + "/check-runs",
		"head_commit": v.headCommit(r, s.SHA), "rerequestable": true, "runs_rerequestable": true,
	}
}

func (v *Renderer) headCommit(r *hub.Repository, sha string) obj {
	c, err := r.Git().Commit(sha)
	if err != nil {
		return nil
	}
	person := func(name, email string) obj { return obj{"name": name, "email": email} }
	return obj{
		"id": sha, "tree_id": c.Tree, "message": c.Message, "timestamp": Stamp(c.Committer.When),
		"author": person(c.Author.Name, c.Author.Email), "committer": person(c.Committer.Name, c.Committer.Email),
	}
}

// pullsOfHead lists the open pull requests whose head is a commit, in the short form that checks use.
func (v *Renderer) pullsOfHead(r *hub.Repository, sha string) []any {
	listed := []any{}
	for _, p := range r.OpenPulls() {
		if p.HeadSHA != sha || p.From != r {
			continue // GitHub omits pull requests from forks here
		}
		repo := obj{"id": r.ID, "url": v.API(r, ""), "name": r.Name}
		listed = append(listed, obj{
			"id": p.ID, "number": p.Number, "url": v.API(r, "/pulls/"+strconv.Itoa(p.Number)),
			"head": obj{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": repo},
			"base": obj{"ref": p.BaseRef, "sha": p.BaseSHA, "repo": repo},
		})
	}
	return listed
}

// Status renders a commit status.
func (v *Renderer) Status(r *hub.Repository, s *hub.Status) obj {
	return obj{
		"id": s.ID, "node_id": NodeID("SC", s.ID), "url": v.API(r, "/statuses/"+s.SHA), "state": s.State,
		"context":     s.Context,
		"description": Optional(s.Description), "target_url": Optional(s.TargetURL),
		"avatar_url": v.URL + "/" + s.Creator.Login + ".png",
		"creator":    v.Account(s.Creator), "created_at": Stamp(s.Created), "updated_at": Stamp(s.Created),
	}
}

// WorkflowRun renders a run of a workflow.
func (v *Renderer) WorkflowRun(r *hub.Repository, run *hub.WorkflowRun) obj {
	self := v.API(r, "/actions/runs/"+strconv.FormatInt(run.ID, 10))
	return obj{
		"id": run.ID, "node_id": NodeID("WFR", run.ID), "name": run.Name, "head_branch": Optional(run.Suite.Branch),
		"head_sha": run.Suite.SHA,
		"event":    run.Event, "status": run.Status, "conclusion": Optional(run.Conclusion), "check_suite_id": run.Suite.ID,
		"check_suite_node_id": NodeID("CS", run.Suite.ID), "url": self,
		"html_url":   v.HTML(r, "/actions/runs/"+strconv.FormatInt(run.ID, 10)),
		"created_at": Stamp(run.Created), "updated_at": Stamp(run.Touched()), "run_started_at": Stamp(run.Created),
		"run_attempt": 1, "run_number": 1,
		"actor": v.Account(run.Actor), "triggering_actor": v.Account(run.Actor),
		"head_commit":   v.headCommit(r, run.Suite.SHA),
		"pull_requests": v.pullsOfHead(r, run.Suite.SHA), "display_title": cmp.Or(run.Title, run.Name), "path": run.Path(),
		"check_suite_url": v.API(r, "/check-suites/"+strconv.FormatInt(run.Suite.ID, 10)),
	}
}

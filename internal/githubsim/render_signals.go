package githubsim

import (
	"cmp"
	"strconv"
)

// runJSON renders a check run.
func (v *Render) Run(r *repository, run *checkRun) obj {
	self := v.API(r, "/check-runs/"+strconv.FormatInt(run.id, 10))
	return obj{
		"id": run.id, "node_id": nodeID("CR", run.id), "name": run.name, "head_sha": run.suite.sha, "external_id": run.externalID,
		"url": self, "html_url": v.HTML(r, "/runs/"+strconv.FormatInt(run.id, 10)), "details_url": cmp.Or(run.detailsURL, v.HTML(r, "/runs/"+strconv.FormatInt(run.id, 10))),
		"status": run.status, "conclusion": optional(run.conclusion), "started_at": stamp(run.started), "completed_at": stamp(run.completed),
		"output": obj{
			"title": optional(run.title), "summary": optional(run.summary), "text": optional(run.text),
			"annotations_count": len(run.annotations), "annotations_url": self + "/annotations",
		},
		"check_suite": v.suiteOfRun(r, run.suite), "app": v.App(run.suite.app), "pull_requests": v.pullsOfHead(r, run.suite.sha),
	}
}

// runRefJSON is runJSON as the REST API answers, where the suite is an id only.
func (v *Render) RunRef(r *repository, run *checkRun) obj {
	j := v.Run(r, run)
	j["check_suite"] = obj{"id": run.suite.id}
	return j
}

// suiteOfRunJSON renders the suite inside a check_run event, which says less than the suite itself.
func (v *Render) suiteOfRun(r *repository, s *checkSuite) obj {
	j := v.Suite(r, s)
	for _, key := range []string{"check_runs_url", "head_commit", "latest_check_runs_count", "rerequestable", "runs_rerequestable"} {
		delete(j, key)
	}
	return j
}

// suiteJSON renders a check suite.
func (v *Render) Suite(r *repository, s *checkSuite) obj {
	status, conclusion := r.suiteState(s)
	self := v.API(r, "/check-suites/"+strconv.FormatInt(s.id, 10))
	return obj{
		"id": s.id, "node_id": nodeID("CS", s.id), "head_branch": optional(s.branch), "head_sha": s.sha, "status": status,
		"conclusion": optional(conclusion), "url": self, "before": optional(s.before), "after": s.sha, "app": v.App(s.app),
		"pull_requests": v.pullsOfHead(r, s.sha), "created_at": stamp(s.created), "updated_at": stamp(s.updated),
		"latest_check_runs_count": len(latestByName(r.runsOf(s))), "check_runs_url": self + "/check-runs",
		"head_commit": v.HeadCommit(r, s.sha), "rerequestable": true, "runs_rerequestable": true,
	}
}

func (v *Render) HeadCommit(r *repository, sha string) obj {
	c, err := r.git.Commit(sha)
	if err != nil {
		return nil
	}
	person := func(name, email string) obj { return obj{"name": name, "email": email} }
	return obj{
		"id": sha, "tree_id": c.Tree, "message": c.Message, "timestamp": stamp(c.Committer.When),
		"author": person(c.Author.Name, c.Author.Email), "committer": person(c.Committer.Name, c.Committer.Email),
	}
}

// pullsOfHead lists the open pull requests whose head is a commit, in the short form that checks use.
func (v *Render) pullsOfHead(r *repository, sha string) []any {
	listed := []any{}
	for _, p := range r.openPulls() {
		if p.headSHA != sha || p.from != r {
			continue // GitHub does not tell of pull requests from forks here
		}
		repo := obj{"id": r.id, "url": v.API(r, ""), "name": r.name}
		listed = append(listed, obj{
			"id": p.id, "number": p.number, "url": v.API(r, "/pulls/"+strconv.Itoa(p.number)),
			"head": obj{"ref": p.headRef, "sha": p.headSHA, "repo": repo}, "base": obj{"ref": p.baseRef, "sha": p.baseSHA, "repo": repo},
		})
	}
	return listed
}

func (v *Render) Status(r *repository, s *status) obj {
	return obj{
		"id": s.id, "node_id": nodeID("SC", s.id), "url": v.API(r, "/statuses/"+s.sha), "state": s.state, "context": s.context,
		"description": optional(s.description), "target_url": optional(s.targetURL), "avatar_url": v.URL + "/" + s.creator.login + ".png",
		"creator": v.Account(s.creator), "created_at": stamp(s.created), "updated_at": stamp(s.created),
	}
}

func (v *Render) WorkflowRun(r *repository, run *workflowRun) obj {
	self := v.API(r, "/actions/runs/"+strconv.FormatInt(run.id, 10))
	return obj{
		"id": run.id, "node_id": nodeID("WFR", run.id), "name": run.name, "head_branch": optional(run.suite.branch), "head_sha": run.suite.sha,
		"event": run.event, "status": run.status, "conclusion": optional(run.conclusion), "check_suite_id": run.suite.id,
		"check_suite_node_id": nodeID("CS", run.suite.id), "url": self, "html_url": v.HTML(r, "/actions/runs/"+strconv.FormatInt(run.id, 10)),
		"created_at": stamp(run.created), "updated_at": stamp(run.touched()), "run_started_at": stamp(run.created), "run_attempt": 1, "run_number": 1,
		"actor": v.Account(run.actor), "triggering_actor": v.Account(run.actor), "head_commit": v.HeadCommit(r, run.suite.sha),
		"pull_requests": v.pullsOfHead(r, run.suite.sha), "display_title": cmp.Or(run.title, run.name), "path": run.path(),
		"check_suite_url": v.API(r, "/check-suites/"+strconv.FormatInt(run.suite.id, 10)),
	}
}

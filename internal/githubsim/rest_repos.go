package githubsim

import (
	"strings"
)

func repoRoutes(t *table) {
	t.with("metadata:read", "GET /repos/{owner}/{repo}", showRepo)
	t.with("administration:write", "PATCH /repos/{owner}/{repo}", changeRepo)
	t.with("contents:write", "POST /repos/{owner}/{repo}/dispatches", dispatch)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/topics", listTopics)
	t.with("contents:read", "GET /repos/{owner}/{repo}/tags", listTags)
	t.with("webhooks:read|administration:read", "GET /repos/{owner}/{repo}/hooks", listHooks)
	t.with("actions:read", "GET /repos/{owner}/{repo}/actions/runs", listWorkflowRuns)
	t.with("actions:write", "POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", dispatchWorkflow)
	t.with("actions:read", "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", listRunsOfWorkflow)
	t.with("actions:read", "GET /repos/{owner}/{repo}/actions/runs/{run_id}", showWorkflowRun)
	t.with("deployments:write", "POST /repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule", answerBarrier)
}

// fullRepoJSON adds what only the single repository shows.
func (c *call) fullRepoJSON() obj {
	j := c.Render.Repo(c.repo)
	level := "none"
	if c.who.account != nil && c.who.kind == asUser {
		level = c.repo.level(c.who.account)
	}
	rank := levelRank(level)
	j["permissions"] = obj{
		"admin": rank >= levelRank("admin"), "maintain": rank >= levelRank("maintain"), "push": rank >= levelRank("write"),
		"triage": rank >= levelRank("triage"), "pull": rank >= levelRank("read"),
	}
	if c.repo.owner.kind == kindOrg {
		j["organization"] = c.Render.Account(c.repo.owner)
	}
	return j
}

func showRepo(c *call) (reply, error) { return ok(c.fullRepoJSON()), nil }

func changeRepo(c *call) (reply, error) {
	var in struct {
		AllowMergeCommit    *bool `json:"allow_merge_commit"`
		AllowSquashMerge    *bool `json:"allow_squash_merge"`
		AllowRebaseMerge    *bool `json:"allow_rebase_merge"`
		AllowAutoMerge      *bool `json:"allow_auto_merge"`
		DeleteBranchOnMerge *bool `json:"delete_branch_on_merge"`
		Archived            *bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	setNot(&c.repo.settings.NoMergeCommit, in.AllowMergeCommit)
	setNot(&c.repo.settings.NoSquash, in.AllowSquashMerge)
	setNot(&c.repo.settings.NoRebase, in.AllowRebaseMerge)
	set(&c.repo.settings.AutoMerge, in.AllowAutoMerge)
	set(&c.repo.settings.DeleteBranchOnMerge, in.DeleteBranchOnMerge)
	set(&c.repo.archived, in.Archived)
	return ok(c.fullRepoJSON()), nil
}

func setNot(target, value *bool) {
	if value != nil {
		*target = !*value
	}
}

// dispatch sends repository_dispatch, under the name that the sender gives it.
func dispatch(c *call) (reply, error) {
	var in struct {
		EventType string `json:"event_type"`
		Payload   obj    `json:"client_payload"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.EventType == "" {
		return reply{}, invalid("Invalid request.\n\n\"event_type\" wasn't supplied.")
	}
	c.Events.OfRepo(c.repo, "repository_dispatch", in.EventType, c.who.account, nil, Fields{"branch": c.repo.defaultBranch, "client_payload": in.Payload})
	return nothing(), nil
}

func listTopics(*call) (reply, error) { return ok(obj{"names": []string{}}), nil }

func listTags(c *call) (reply, error) {
	return list(c, c.repo.git.Refs("refs/tags/"), func(ref string) any {
		sha, _ := c.repo.git.Ref(ref)
		name := strings.TrimPrefix(ref, "refs/tags/")
		return obj{
			"name": name, "node_id": nodeID("REF", c.repo.id) + ":" + ref, "commit": obj{"sha": sha, "url": c.Render.API(c.repo, "/commits/"+sha)},
			"zipball_url": c.Render.API(c.repo, "/zipball/"+ref), "tarball_url": c.Render.API(c.repo, "/tarball/"+ref),
		}
	}), nil
}

func listHooks(*call) (reply, error) { return ok([]any{}), nil }

func (v *Render) WorkflowRun(r *repository, run *workflowRun) obj {
	self := v.API(r, "/actions/runs/"+itoa(run.id))
	return obj{
		"id": run.id, "node_id": nodeID("WFR", run.id), "name": run.name, "head_branch": optional(run.suite.branch), "head_sha": run.suite.sha,
		"event": run.event, "status": run.status, "conclusion": optional(run.conclusion), "check_suite_id": run.suite.id,
		"check_suite_node_id": nodeID("CS", run.suite.id), "url": self, "html_url": v.HTML(r, "/actions/runs/"+itoa(run.id)),
		"created_at": stamp(run.created), "updated_at": stamp(run.touched()), "run_started_at": stamp(run.created), "run_attempt": 1, "run_number": 1,
		"actor": v.Account(run.actor), "triggering_actor": v.Account(run.actor), "head_commit": v.HeadCommit(r, run.suite.sha),
		"pull_requests": v.pullsOfHead(r, run.suite.sha), "display_title": orElse(run.title, run.name), "path": run.path(),
		"check_suite_url": v.API(r, "/check-suites/"+itoa(run.suite.id)),
	}
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
		if itoa(run.id) == c.params["run_id"] {
			return run, nil
		}
	}
	return nil, notFound()
}

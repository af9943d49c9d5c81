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
	settings, archived := c.repo.settings, c.repo.archived
	setNot(&settings.NoMergeCommit, in.AllowMergeCommit)
	setNot(&settings.NoSquash, in.AllowSquashMerge)
	setNot(&settings.NoRebase, in.AllowRebaseMerge)
	setIf(&settings.AutoMerge, in.AllowAutoMerge)
	setIf(&settings.DeleteBranchOnMerge, in.DeleteBranchOnMerge)
	setIf(&archived, in.Archived)
	c.repo.Configure(settings, archived)
	return ok(c.fullRepoJSON()), nil
}

func setIf[T any](target *T, value *T) {
	if value != nil {
		*target = *value
	}
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
	c.Events.OfRepo(c.repo, "repository_dispatch", in.EventType, c.who.account, nil, Fields{"branch": c.repo.git.DefaultBranch(), "client_payload": in.Payload})
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

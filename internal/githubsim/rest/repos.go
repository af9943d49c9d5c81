package rest

import (
	"strings"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
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
	t.with("deployments:write", "POST /repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule",
		answerDeploymentRule)
}

// fullRepoJSON renders a repository with the fields that lists omit.
func (c *call) fullRepoJSON() obj {
	j := c.Render.Repo(c.repo)
	level := "none"
	if c.who.Account != nil && c.who.Kind == hub.AsUser {
		level = c.repo.Level(c.who.Account)
	}
	rank := hub.LevelRank(level)
	j["permissions"] = obj{
		"admin": rank >= hub.LevelRank("admin"), "maintain": rank >= hub.LevelRank("maintain"),
		"push":   rank >= hub.LevelRank("write"),
		"triage": rank >= hub.LevelRank("triage"), "pull": rank >= hub.LevelRank("read"),
	}
	if c.repo.Owner.Kind == hub.KindOrg {
		j["organization"] = c.Render.Account(c.repo.Owner)
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
	settings, archived := c.repo.Settings, c.repo.Archived
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

// dispatch sends repository_dispatch, under the sender's name for it.
func dispatch(c *call) (reply, error) {
	var in struct {
		EventType string `json:"event_type"`
		Payload   obj    `json:"client_payload"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.EventType == "" {
		return reply{}, hub.Invalid("Invalid request.\n\n\"event_type\" wasn't supplied.")
	}
	c.Repos.Dispatch(c.repo, in.EventType, in.Payload, c.who.Account)
	return nothing(), nil
}

func listTopics(*call) (reply, error) { return ok(obj{"names": []string{}}), nil }

func listTags(c *call) (reply, error) {
	return list(c, c.repo.Seen().Refs("refs/tags/"), func(ref string) any {
		sha, _ := c.repo.Seen().Ref(ref)
		name := strings.TrimPrefix(ref, "refs/tags/")
		return obj{
			"name": name, "node_id": render.NodeID("REF", c.repo.ID) + ":" + ref,
			"commit":      obj{"sha": sha, "url": c.Render.API(c.repo, "/commits/"+sha)},
			"zipball_url": c.Render.API(c.repo, "/zipball/"+ref), "tarball_url": c.Render.API(c.repo, "/tarball/"+ref),
		}
	}), nil
}

func listHooks(*call) (reply, error) { return ok([]any{}), nil }

package health

import (
	"slices"

	"waybill/promotion"
)

// Need is a permission or an event of the App, and the feature that is off without it. docs/github.md lists all.
type Need struct {
	Name  string // as GitHub's API calls it
	Level string // of a permission: "read" or "write"
	// With is the permission without which GitHub does not offer an event; empty: it offers it to every App.
	With string
	Why  string // what it is for
	Off  string // what does not work without it, or comes late
	For  Use
}

// Use says which pipelines need something. The zero value: all do.
type Use struct {
	Name string // one word, by which "waybill setup" leaves it out; empty: it does not
	What string // what they have, for people
	Has  func(p *promotion.Pipeline) bool
	// Perhaps says that the pipeline file does not tell whether it is needed: it depends on how GitHub is set up.
	Perhaps bool
}

// Permissions are those of the App. Without the first three there is no promotion. Each of the others is of one
// feature, which is off without it.
var Permissions = []Need{
	{Name: "metadata", Level: "read",
		Off: "everything: GitHub gives Waybill no token for a repository",
		Why: "comes with every App: the repository, and people's permissions in it"},
	{Name: "contents", Level: "write",
		Off: "promotions and freight: Waybill reads and writes no file and no branch",
		Why: "reads the pipeline file and the stages' files; writes the branches `waybill/...` and merges them; commits to " +
			"the branch of stages with `commit: direct`"},
	{Name: "pull_requests", Level: "write",
		Off: "promotions by pull requests and freight of pull requests: Waybill reads and opens none",
		Why: "opens, merges and closes the promotions' pull requests; lists the files of people's"},
	{Name: "issues", Level: "write",
		Off: "comments, reactions, labels and assignees; commands in comments do nothing",
		Why: "comments, reactions and labels, which on GitHub belong to issues, also those of pull requests"},
	{Name: "checks", Level: "write",
		Off: "check runs and their buttons; promotions that checks verify wait; checks show no target as ready",
		Why: "the check runs `waybill / <stage>` and `waybill / config`; the check runs that verify a stage"},
	{Name: "deployments", Level: "write", For: signals,
		Off: "promotions that deployments verify wait; stages with an `environment` get none; no job " +
			"waits for Waybill before one",
		Why: "reads the deployments that verify a stage; writes those of stages that have an `environment`"},
	{Name: "statuses", Level: "read", For: signals,
		Off: "promotions that commit statuses verify wait, and statuses show no target as ready",
		Why: "the statuses that verify a stage, or show that targets are ready"},
	{Name: "actions", Level: "read", For: environments,
		Off: "targets that are ready when an environment exists never are; no job waits for Waybill before an environment",
		Why: "only where Waybill is a [protection rule](#jobs-that-deploy) of an environment, or targets are " +
			"[ready](rollouts.md#targets-that-are-not-ready) when an environment exists"},
	{Name: "actions", Level: "write", For: workflows, Off: "stages that start workflows promote nothing",
		Why: "only where stages [start workflows](changes.md#dispatch-a-workflow-instead-of-files)"},
	{Name: "merge_queues", Level: "read", For: guards,
		Off: "checks of guarded stages stay open in a merge queue that requires them",
		Why: "the event `merge_group`; needed only where a merge queue requires the check of a guarded stage"},
	{Name: "packages", Level: "read", For: images,
		Off: "freight that needs an image never becomes available",
		Why: "only where warehouses wait for [images](warehouses.md#images): their webhooks, and for public ones the resync"},
	{Name: "members", Level: "read", For: teams,
		Off: "the teams that a policy file names count as having no members",
		Why: "the members of the teams that a policy file names; without it they count as having none"},
}

// late is what happens without an event of which a resync finds the fact.
const late = " are known at the next resync only"

// Events are those that the App subscribes to.
var Events = []Need{
	{Name: "check_run", With: "checks", Off: "checks" + late + "; buttons and *Re-run* do nothing",
		Why: "a check that verifies a stage has begun or ended; a person pressed a button of Waybill's, or asked for a new " +
			"run of its check"},
	{Name: "check_suite", With: "checks", Off: "ends of check suites" + late + "; *Re-run all checks* does nothing",
		Why: "whether more checks may come; a person asked for new runs of all of Waybill's checks on a commit"},
	{Name: "deployment_protection_rule", With: "deployments", For: environments,
		Off: "jobs that wait for Waybill before an environment get no answer",
		Why: "a job waits before an environment for Waybill's answer"},
	{Name: "deployment_status", With: "deployments", Off: "deployments that verify a stage" + late,
		Why: "a deployment that verifies a stage"},
	{Name: "issue_comment", With: "issues", Off: "commands in comments do nothing", Why: "commands"},
	{Name: "member", With: "members", For: teams, Off: "rights that were given or taken count some minutes later",
		Why: "write access to the repository has changed: Waybill asks for rights anew"},
	{Name: "membership", With: "members", For: teams, Off: "who comes into a team or leaves it counts some minutes later",
		Why: "the members of a team have changed"},
	{Name: "merge_group", With: "merge_queues", For: guards,
		Off: "checks of guarded stages stay open in a merge queue that requires them",
		Why: "the merge queue tries out a group: Waybill reports the checks of guarded stages there"},
	{Name: "organization", With: "members", For: teams,
		Off: "who comes into the organization or leaves it counts some minutes later",
		Why: "the members of the organization have changed"},
	{Name: "pull_request", With: "pull_requests", Off: "merges, and what people do with pull requests," + late +
		"; guards and the check of pipeline files do not see pull requests",
		Why: "freight is merged; actions of people on the promotions' pull requests; labels; proposed changes of the " +
			"pipeline files and of guarded files"},
	{Name: "pull_request_review", With: "pull_requests",
		Off: "commands in reviews do nothing; reviews that a merge waits for" + late,
		Why: "GitHub may now let a promotion be merged; commands in a review's summary"},
	{Name: "push", With: "contents", Off: "pushes and changes of the pipeline file" + late,
		Why: "the pipeline file, a stage's files, or the branch of a promotion have changed; a tag was made or moved"},
	{Name: "registry_package", With: "packages", For: images, Off: "images" + late + ", private ones never",
		Why: "an image was pushed for which freight waits"},
	{Name: "release", With: "contents", For: releases, Off: "releases" + late,
		Why: "a release was published or changed"},
	{Name: "repository", Off: "new names of repositories" + late,
		Why: "it was renamed, moved, archived, or has another default branch"},
	{Name: "repository_dispatch", With: "contents", For: reports,
		Off: "reports by `repository_dispatch` do nothing; those over the API work",
		Why: "a workflow [reports](warehouses.md#reports) artifacts"},
	{Name: "status", With: "statuses", Off: "commit statuses" + late, Why: "a commit status that verifies a stage"},
	{Name: "team", With: "members", For: teams, Off: "changes of teams and of their rights count some minutes later",
		Why: "a team, or its rights, have changed"},
	{Name: "workflow_run", With: "actions", For: workflows, Off: "ends of workflows that stages have started" + late,
		Why: "a workflow that a promotion has started has begun or ended"},
}

// offered are the events that no App subscribes to: every App gets them, or GitHub offers them to none today.
var offered = []Need{
	{Name: "installation", Why: "the App was installed, suspended or removed; every App gets it"},
	{Name: "installation_repositories", Why: "the repositories that it reaches; every App gets it"},
	{Name: "package", Why: "the same as `registry_package`; GitHub offers it to no App today"},
}

var (
	environments = Use{Name: "environments", What: "environments", Has: hasEnvironment, Perhaps: true}
	workflows    = Use{Name: "workflows", What: "stages that start workflows", Has: stages(func(s *promotion.Stage) bool {
		return s.Dispatch != nil
	})}
	signals = Use{What: "stages that are verified or have an environment", Perhaps: true,
		Has: func(p *promotion.Pipeline) bool { return hasEnvironment(p) || isVerified(p) }}
	guards = Use{Name: "guards", What: "guarded stages", Perhaps: true, Has: stages(func(s *promotion.Stage) bool {
		return s.Guard
	})}
	images = Use{Name: "images", What: "warehouses that wait for images",
		Has: warehouses(func(w *promotion.Warehouse) bool { return len(w.Images) > 0 })}
	releases = Use{Name: "releases", What: "warehouses of releases", Has: warehouses(func(w *promotion.Warehouse) bool {
		return w.Kind == promotion.FromReleases
	})}
	reports = Use{Name: "reports", What: "warehouses that take reports", Perhaps: true,
		Has: warehouses(func(w *promotion.Warehouse) bool { return w.Kind == promotion.FromReports })}
	teams = Use{Name: "teams", What: "policy files that name teams", Has: func(p *promotion.Pipeline) bool {
		return len(p.Policy.Teams()) > 0
	}}
)

func stages(some func(*promotion.Stage) bool) func(*promotion.Pipeline) bool {
	return func(p *promotion.Pipeline) bool { return slices.ContainsFunc(p.Stages, some) }
}

func warehouses(some func(*promotion.Warehouse) bool) func(*promotion.Pipeline) bool {
	return func(p *promotion.Pipeline) bool { return slices.ContainsFunc(p.Warehouses, some) }
}

// hasEnvironment reports whether a stage or target has an environment, or is ready when one exists.
func hasEnvironment(p *promotion.Pipeline) bool {
	return stages(func(s *promotion.Stage) bool {
		return slices.ContainsFunc(s.Targets, func(t promotion.Target) bool {
			return t.Environment != "" || slices.ContainsFunc(t.Ready,
				func(c promotion.Condition) bool { return c.Kind == promotion.KindEnvironment })
		})
	})(p)
}

// isVerified reports whether a stage or target waits for signals.
func isVerified(p *promotion.Pipeline) bool {
	return stages(func(s *promotion.Stage) bool {
		return slices.ContainsFunc(s.Targets, func(t promotion.Target) bool { return len(t.Verify) > 0 || len(t.Ready) > 0 })
	})(p)
}

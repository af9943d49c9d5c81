package config

import (
	"regexp"
	"time"
)

// pipelineFile is what a pipeline file says, before anybody has asked whether it makes sense.
type pipelineFile struct {
	version    found[int]
	warehouses found[[]entry[warehouseFile]]
	stages     found[[]entry[stageFile]]
	resync     found[time.Duration]
	allow      found[[]found[string]]
	comments   found[bool]
}

type warehouseFile struct {
	pullRequests found[pullRequestsFile]
}

type pullRequestsFile struct {
	repo   found[string]
	branch found[string]
	paths  found[[]found[string]]
	labels found[[]found[string]]
}

// A pipeline is resynced at least every DefaultResync, unless it or the server says otherwise within these bounds.
const (
	DefaultResync = 10 * time.Hour
	MinResync     = time.Minute
	MaxResync     = 168 * time.Hour
)

const (
	maxStages     = 500
	maxWarehouses = 100
	maxMatchers   = 20 // of a stage
	maxCopies     = 20 // of a stage: each costs requests
	// maxNames bounds other lists and tables, such as the files of a stage and the globs of a warehouse.
	maxNames = 200
)

var pipelineForm = object[pipelineFile]{
	what: "a pipeline file",
	fields: []field[pipelineFile]{
		key("version", version, func(f *pipelineFile) *found[int] { return &f.version },
			"The version of the file's format, 1.").needed(),
		key("warehouses", table(warehouseNames, warehouseForm), func(f *pipelineFile) *found[[]entry[warehouseFile]] { return &f.warehouses },
			"Where freight comes from, by name."),
		key("stages", table(stageNames, stageForm), func(f *pipelineFile) *found[[]entry[stageFile]] { return &f.stages },
			"Where freight is promoted to, by name, in the order in which people see them."),
		key("resync", duration(MinResync, MaxResync), func(f *pipelineFile) *found[time.Duration] { return &f.resync },
			"How often everything is compared with GitHub, at least.").otherwise("10h, or what the server says"),
		key("allow", list("repositories", maxNames, repository), func(f *pipelineFile) *found[[]found[string]] { return &f.allow },
			"Repositories whose pipelines may take freight from this repository and write here."),
		key("comments", boolean, func(f *pipelineFile) *found[bool] { return &f.comments },
			"Whether one comment on each pull request shows how far it has come, and labels do. What a person has to know, and answers, are written in any case.").
			otherwise("true"),
	},
	anyOf:    []string{"stages", "allow"},
	together: [][]string{{"stages", "warehouses"}},
}.form()

var (
	version    = one(1, "is not a version of the format that this version of Waybill reads")
	repository = matching("a repository such as acme/api", `^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
)

// A stage's name is part of branches, labels and commands. GitHub's labels end at 50 characters, and the longest of a
// stage is stage/NAME:failed.
var stageNames = naming{
	what:    "a stage",
	pattern: regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-]){0,36}$`),
	rule:    "it takes letters, digits, - _ and single dots between them, begins with a letter or digit, and has at most 37 characters",
	most:    maxStages,
}

var warehouseNames = naming{
	what:    "a warehouse",
	pattern: regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`),
	rule:    "it takes letters, digits, - and _, begins with a letter or digit, and has at most 50 characters",
	most:    maxWarehouses,
}

var warehouseForm = object[warehouseFile]{
	what: "a warehouse",
	fields: []field[warehouseFile]{
		key("pull-requests", pullRequestsForm, func(w *warehouseFile) *found[pullRequestsFile] { return &w.pullRequests },
			"One piece of freight for each merged pull request; {} takes all that are merged into the home repository.").needed(),
		later[warehouseFile]("image", "Freight is complete once this image exists for its commit."),
	},
}.form()

var pullRequestsForm = object[pullRequestsFile]{
	what:    "pull requests",
	nothing: true,
	fields: []field[pullRequestsFile]{
		key("repo", repository, func(p *pullRequestsFile) *found[string] { return &p.repo },
			"The repository that they are merged into.").otherwise("the home repository"),
		key("branch", branch, func(p *pullRequestsFile) *found[string] { return &p.branch },
			"The branch that they are merged into.").otherwise("the home repository's default branch"),
		key("paths", some("globs of paths", maxNames, text("a glob of paths such as src/**")), func(p *pullRequestsFile) *found[[]found[string]] { return &p.paths },
			"Globs of the files that make freight when they change; ! before one excludes.").
			otherwise("every file, in the home repository all but those that stages change"),
		key("labels", some("labels", maxNames, text("a label")), func(p *pullRequestsFile) *found[[]found[string]] { return &p.labels },
			"Labels that a pull request must have; with ! before one, must not have.").otherwise("any"),
	},
}.form()

var branch = matching("the name of a branch such as main", `^[^\s~^:?*\[\\-][^\s~^:?*\[\\]*$`)

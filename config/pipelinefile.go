package config

import (
	"time"
)

// pipelineFile is the content of a pipeline file, before it is judged.
type pipelineFile struct {
	version    found[int]
	warehouses found[[]entry[warehouseFile]]
	stages     found[[]entry[stageFile]]
	resync     found[time.Duration]
	allow      found[[]found[string]]
	comments   found[bool]
	timezone   found[*time.Location]
	forEach    found[[]entry[[]found[item]]]
}

// warehouseFile says where freight comes from. One of them is given.
type warehouseFile struct {
	pullRequests found[pullRequestsFile]
	pushes       found[pushesFile]
	releases     found[versionsFile]
	tags         found[versionsFile]
	reports      found[reportsFile]
	image        found[string]
	images       found[[]entry[string]]
}

type pullRequestsFile struct {
	pushesFile
	labels found[[]found[string]]
}

// pushesFile says which branch, and which pushes to it, make freight.
type pushesFile struct {
	repo   found[string]
	branch found[string]
	paths  found[[]found[string]]
}

// reportsFile says of which repository CI reports, and which runs of workflows may.
type reportsFile struct {
	repo        found[string]
	branches    found[[]found[string]]
	tags        found[[]found[string]]
	workflow    found[string]
	environment found[string]
}

// versionsFile says which releases or tags make freight.
type versionsFile struct {
	repo        found[string]
	versions    found[string]
	prefix      found[string]
	prereleases found[bool]
	order       found[string]
}

// A pipeline is resynced at least every DefaultResync, unless it or the server says otherwise within these bounds.
const (
	DefaultResync = 10 * time.Hour
	minResync     = time.Minute
	maxResync     = 168 * time.Hour
)

const (
	maxStages     = 5000
	maxWarehouses = 1000
	maxMatchers   = 20 // of a stage
	maxCopies     = 20 // of a stage: each costs requests
	maxImages     = 20 // of a warehouse, the same
	// maxNames bounds other lists and tables, such as the files of a stage and the globs of a warehouse.
	maxNames = 200
)

var pipelineForm = pipelineObject.form()

var pipelineObject = object[pipelineFile]{
	what: "a pipeline file",
	fields: []field[pipelineFile]{
		key("version", version, func(f *pipelineFile) *found[int] { return &f.version },
			formatVersion).needed(),
		key("warehouses", repeatable(warehouseNames, warehouseForm),
			func(f *pipelineFile) *found[[]entry[warehouseFile]] { return &f.warehouses },
			"The warehouses that freight comes from, by name."),
		key("stages", repeatable(stageNames, stageForm),
			func(f *pipelineFile) *found[[]entry[stageFile]] { return &f.stages },
			"The stages that freight is promoted into, by name, in the order in which people see them."),
		key("for-each", forEachForm, func(f *pipelineFile) *found[[]entry[[]found[item]]] { return &f.forEach },
			"Lists, by names of your choice. A warehouse or stage with `${LIST}` in its name stands for one of each item, and "+
				"`${LIST}` in it for the item. An item that is a mapping has a `name`, and labels: `${LIST.LABEL}`. "+
				"`{from: FILE}` in place of a list names another file of the repository that is the list.").
			otherwise("none"),
		key("resync", duration(minResync, maxResync), func(f *pipelineFile) *found[time.Duration] { return &f.resync },
			"The longest time between two comparisons of the pipeline with GitHub.").otherwise("10h, or the server's setting"),
		key("allow", list("repositories", maxNames, allowedRepository),
			func(f *pipelineFile) *found[[]found[string]] { return &f.allow },
			"Repositories whose pipelines may take freight from this repository and write here. A name means the repository "+
				"that has it when Waybill reads it here for the first time; `acme/deploy:42` means the one with GitHub's id 42."),
		key("comments", boolean, func(f *pipelineFile) *found[bool] { return &f.comments },
			"Whether one comment, and labels, show the progress of each pull request. Waybill writes answers, and comments "+
				"that a person must see, in any case.").
			otherwise("true"),
		key("timezone", timezoneForm, func(f *pipelineFile) *found[*time.Location] { return &f.timezone },
			"Whose clocks people mean, as in `/hold prod until monday 9am`, and freezes that name none: a name of the IANA "+
				"time zone database.").otherwise("UTC"),
	},
	anyOf:    []string{"stages", "allow"},
	together: [][]string{{"stages", "warehouses"}},
}

const formatVersion = "The version of the file's format, 1."

var (
	version    = one(1, "is not a version of the format that this version of Waybill reads")
	repository = matching("a repository such as acme/api", `^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

	allowedRepository = matching("a repository such as acme/deploy or acme/deploy:42",
		`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+(:[1-9][0-9]{0,17})?$`)
)

// A stage's name is part of branches, labels and commands. GitHub's labels end at 50 characters, and the longest of a
// stage is stage/NAME:failed.
var stageNames = naming{
	what:    "a stage",
	pattern: expressed(`^[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-]){0,36}$`),
	rule: "it takes letters, digits, - _ and single dots between them, begins with a letter or digit, and has " +
		"at most 37 characters",
	most: maxStages,
}

var warehouseNames = naming{
	what:    "a warehouse",
	pattern: expressed(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`),
	rule:    "it takes letters, digits, - and _, begins with a letter or digit, and has at most 50 characters",
	most:    maxWarehouses,
}

var awaitedNames = naming{
	what:    "an image",
	pattern: warehouseNames.pattern,
	rule:    warehouseNames.rule,
	most:    maxImages,
}

var warehouseForm = object[warehouseFile]{
	what:  "a warehouse",
	oneOf: []string{"pull-requests", "pushes", "releases", "tags", "reports"},
	fields: []field[warehouseFile]{
		key("pull-requests", pullRequestsForm, func(w *warehouseFile) *found[pullRequestsFile] { return &w.pullRequests },
			"One piece of freight for each merged pull request; {} takes every merge into the home repository."),
		key("pushes", pushesForm, func(w *warehouseFile) *found[pushesFile] { return &w.pushes },
			"One piece of freight for each push to a branch: its head; {} takes every push to the home "+
				"repository's default branch."),
		key("releases", versionsForm("releases", "that they are published in"),
			func(w *warehouseFile) *found[versionsFile] { return &w.releases },
			"One piece of freight for each release on GitHub whose tag is a version; {} takes all of the home "+
				"repository but pre-releases."),
		key("tags", versionsForm("tags", "that they are in"), func(w *warehouseFile) *found[versionsFile] { return &w.tags },
			"One piece of freight for each tag that is a version, whether or not there is a release of it."),
		key("reports", reportsForm, func(w *warehouseFile) *found[reportsFile] { return &w.reports },
			"One piece of freight for each version that CI reports over the API."),
		key("image", text("an image such as ghcr.io/acme/api"), func(w *warehouseFile) *found[string] { return &w.image },
			"The image of merged pull requests and pushes, without its tag: freight is available to no stage before it has "+
				"been pushed to ghcr.io for the freight's commit.").otherwise("none"),
		key(
			"images", table(awaitedNames, text("an image such as ghcr.io/acme/api")),
			func(w *warehouseFile) *found[[]entry[string]] { return &w.images },
			"Several such images, by names of your choice: freight is available to no stage before all of them have been "+
				"pushed for its commit.",
		).otherwise("none"),
	},
}.form()

var pullRequestsForm = object[pullRequestsFile]{
	what:    "pull requests",
	nothing: true,
	fields: []field[pullRequestsFile]{
		key("repo", repository, func(p *pullRequestsFile) *found[string] { return &p.repo },
			"The repository of the pull requests.").otherwise("the home repository"),
		key("branch", branch, func(p *pullRequestsFile) *found[string] { return &p.branch },
			"The branch of the merges.").otherwise("the home repository's default branch"),
		key("paths", some("globs of paths", maxNames, text("a glob of paths such as src/**")),
			func(p *pullRequestsFile) *found[[]found[string]] { return &p.paths },
			"Globs of the files that make freight when they change; ! before one excludes.").
			otherwise("every file but those that stages change on that branch"),
		key("labels", some("labels", maxNames, text("a label")),
			func(p *pullRequestsFile) *found[[]found[string]] { return &p.labels },
			"Labels that a pull request must have; with ! before one, must not have.").otherwise("any"),
	},
}.form()

var reportsForm = object[reportsFile]{
	what:    "reports",
	nothing: true,
	fields: []field[reportsFile]{
		key("repo", repository, func(r *reportsFile) *found[string] { return &r.repo },
			"The repository whose commits are built.").otherwise("the home repository"),
		key(
			"branches", some("globs of branches", maxNames, text("a glob of branches such as main")),
			func(r *reportsFile) *found[[]found[string]] { return &r.branches },
			"Globs of the branches whose workflows may report without a token of Waybill.",
		).otherwise("the home repository's default branch, without `tags`"),
		key("tags", some("globs of tags", maxNames, text("a glob of tags such as v*")),
			func(r *reportsFile) *found[[]found[string]] { return &r.tags },
			"Globs of the tags whose workflows may do so.").otherwise("none"),
		key("workflow", matching("the name of a file in .github/workflows such as build.yml", `^[^/]+\.ya?ml$`),
			func(r *reportsFile) *found[string] { return &r.workflow },
			"The only workflow that may do so, by the name of its file.").otherwise("any"),
		key("environment", text("an environment such as production"),
			func(r *reportsFile) *found[string] { return &r.environment },
			"The only environment whose jobs may do so.").otherwise("any"),
	},
}.form()

var pushesForm = object[pushesFile]{
	what:    "pushes",
	nothing: true,
	fields: []field[pushesFile]{
		key("repo", repository, func(p *pushesFile) *found[string] { return &p.repo },
			"The repository that is pushed to.").otherwise("the home repository"),
		key("branch", branch, func(p *pushesFile) *found[string] { return &p.branch },
			"The branch that is pushed to.").otherwise("the home repository's default branch"),
		key("paths", some("globs of paths", maxNames, text("a glob of paths such as src/**")),
			func(p *pushesFile) *found[[]found[string]] { return &p.paths },
			"Globs of the files that make freight when they change; ! before one excludes.").
			otherwise("every file but those that stages change on that branch"),
	},
}.form()

// versionsForm describes releases or tags; where describes their repository.
func versionsForm(what, where string) form[versionsFile] {
	return object[versionsFile]{
		what:    what,
		nothing: true,
		fields: []field[versionsFile]{
			key("repo", repository, func(v *versionsFile) *found[string] { return &v.repo },
				"The repository "+where+".").otherwise("the home repository"),
			key(
				"versions", text("a range of versions such as \">=1.2 <3\""),
				func(v *versionsFile) *found[string] { return &v.versions },
				"The versions that make freight: comparisons as in >=1.2 <3, also ^1.4, ~1.4.2, 1.x, and || between alternatives.",
			).otherwise("all"),
			key("prefix", matching("what stands in a tag before its version, such as api/", `^[^\s~^:?*\[\\]{1,100}$`),
				func(v *versionsFile) *found[string] { return &v.prefix },
				"The beginning of tags, before the version and its v; tags without it make no freight.").otherwise("nothing"),
			key("prereleases", truth, func(v *versionsFile) *found[bool] { return &v.prereleases },
				"Whether pre-releases make freight, too: versions such as 1.4.0-rc.1, and releases that are marked so.").
				otherwise("false"),
			key("order", word(byVersion, byDate), func(v *versionsFile) *found[string] { return &v.order },
				"Whether freight is in the order of its versions, or in that of the dates on which it was published.").
				otherwise(byVersion),
		},
	}.form()
}

var branch = matching("the name of a branch such as main", `^[^\s~^:?*\[\\-][^\s~^:?*\[\\]*$`)

package config

import (
	"time"

	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// targetsFile are the places of a stage: either they are listed, or a glob finds them.
type targetsFile struct {
	listed []found[targetFile]
	glob   Glob                       // without text: they are listed
	labels found[[]found[targetFile]] // of those that it finds
}

// findingFile are the targets that a glob finds, with their labels.
type findingFile struct {
	find   found[targetsFile]
	labels found[[]found[targetFile]]
}

// targetFile is one place of a stage.
type targetFile struct {
	name   found[string]
	path   found[string]
	files  found[placeFile]
	labels found[[]entry[string]]
}

// batchFile is one batch of a rollout.
type batchFile struct {
	name    found[string]
	targets found[selectorFile]
	atOnce  found[quantity]
	wait    found[time.Duration]
	signed  found[int]
}

// conditionFile is something that a target must show. One of check, status, deployment and environment is given.
type conditionFile struct{ check, status, deployment, environment, app found[string] }

// rolloutFile is how targets are updated: batch by batch, or as a program outside commands.
type rolloutFile struct {
	batches  []found[batchFile]
	external bool
}

// rollbackFile is how a rollback goes through targets.
type rollbackFile struct{ atOnce found[quantity] }

// selectorFile names targets by patterns of their names, or by labels.
type selectorFile struct {
	names  []found[string]
	labels []entry[string]
}

const (
	maxTargets = 1000 // that are listed
	maxFound   = 10_000
	maxBatches = 100
	maxLabels  = 20 // of a target
	maxFailed  = 1000
)

// A target's name is part of branches and of the names of checks.
const (
	targetNamePattern = `^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.[A-Za-z0-9_-]){0,59}$`
	targetNameRule    = "letters, digits, - _ and single dots between them, at most 60 characters"
)

var targetName = matching("the name of a target: "+targetNameRule, targetNamePattern)

var labelNames = naming{what: "a label", pattern: stageNames.pattern, rule: stageNames.rule, most: maxLabels}

// targetForm is the name of a target, or a mapping with its other keys.
var targetForm = either(
	nameOnly,
	object[targetFile]{
		what: "a target",
		fields: []field[targetFile]{
			key("name", targetName, func(t *targetFile) *found[string] { return &t.name },
				"What it is called; ${target.name} stands for it.").needed(),
			key("path", text("a path"), func(t *targetFile) *found[string] { return &t.path },
				"The path of its files; ${target.path} stands for it.").otherwise("${target.path} has no value"),
			key("files", targetPlaceForm, func(t *targetFile) *found[placeFile] { return &t.files },
				"The place of its files, if it differs from the stage's. Another repository must allow it.").otherwise(
				"the place of the stage's files",
			),
			labelsKey,
		},
	}.form())

// targetsForm is a list of targets, or a glob that finds them in the repository, alone or with their labels.
var targetsForm = either(globForm("a list of targets, or a glob"), form[targetsFile]{
	func() schema { return schema{"anyOf": []schema{findingForm.schema(), listedForm.schema()}} },
	func(r *reader, n *yaml.Node) targetsFile {
		if valueOf(n, "find") != nil || valueOf(n, "labels") != nil {
			return findingForm.read(r, n)
		}
		return listedForm.read(r, n)
	},
})

var listedForm = convert(orInventory(some("targets", maxTargets, targetForm)),
	func(all found[[]found[targetFile]]) targetsFile { return targetsFile{listed: all.value} })

// findingForm is a glob with the labels of what it finds.
var findingForm = convert(object[findingFile]{
	what: "a glob that finds targets",
	fields: []field[findingFile]{
		key("find", globForm("a glob"), func(f *findingFile) *found[targetsFile] { return &f.find },
			"The glob: every path that it matches is a target.").needed(),
		key("labels", orInventory(some("labels of targets", maxFound, labelsForm)),
			func(f *findingFile) *found[[]found[targetFile]] { return &f.labels },
			"The labels of the targets, by their names: a list, or `{from: FILE}`. What it names and the glob does not find is "+
				"no target.").otherwise("none"),
	},
}.form(), func(f found[findingFile]) targetsFile {
	return targetsFile{glob: f.value.find.value.glob, labels: f.value.labels}
})

// labelsForm are the labels of a target that is found.
var labelsForm = either(nameOnly, object[targetFile]{
	what: "the labels of a target",
	fields: []field[targetFile]{
		key("name", targetName, func(t *targetFile) *found[string] { return &t.name }, "The target's name.").needed(),
		labelsKey,
	},
}.form())

// nameOnly is a target that has nothing but its name.
var nameOnly = convert(targetName, func(name found[string]) targetFile { return targetFile{name: name} })

var labelsKey = key("labels", table(labelNames, scalar("a label")),
	func(t *targetFile) *found[[]entry[string]] { return &t.labels },
	"Labels by which batches may select it; ${target.labels.NAME} stands for one.").otherwise("none")

// globForm is a glob that finds targets. what describes what may stand there, with an article.
func globForm(what string) form[targetsFile] {
	return form[targetsFile]{
		func() schema { return schema{"type": "string", "pattern": `\*`} },
		func(r *reader, n *yaml.Node) targetsFile {
			if n.ShortTag() != "!!str" {
				r.wrong(n, what+" such as clusters/*/values.yaml that finds them")
				return targetsFile{}
			}
			g, wrong := parseGlob(n.Value)
			if wrong != "" {
				r.errorf(posOf(n), "%s finds no targets: %s", quote(n.Value), wrong)
			}
			return targetsFile{glob: g}
		},
	}
}

var batchForm = object[batchFile]{
	what: "a batch",
	fields: []field[batchFile]{
		key("name", targetName, func(b *batchFile) *found[string] { return &b.name }, "What it is called.").needed(),
		key("targets", selectorForm, func(b *batchFile) *found[selectorFile] { return &b.targets },
			"Its targets: a list of names, in which * stands for anything, or a mapping of the labels that they have.").
			otherwise("all that no other batch names"),
		key("at-once", quantityForm, func(b *batchFile) *found[quantity] { return &b.atOnce },
			"How many of its targets may be unavailable at a time, that is, updated and not yet verified, or failed: a "+
				"number, or a percentage of them, rounded down.").otherwise("1"),
		key("wait", duration(0, month), func(b *batchFile) *found[time.Duration] { return &b.wait },
			"The time between the last verdict of the batch and the next batch.").otherwise("0s"),
		key("approvals", signOffs, func(b *batchFile) *found[int] { return &b.signed },
			"How many people must sign off the first pull request of the batch.").otherwise("0"),
	},
}.form()

var rollbackForm = object[rollbackFile]{
	what: "a rollback",
	fields: []field[rollbackFile]{
		key("at-once", quantityForm, func(b *rollbackFile) *found[quantity] { return &b.atOnce },
			"How many targets it takes at once, those that need it most first: a number, or a percentage of all, rounded down.").
			needed(),
	},
}.form()

var selectorForm = form[selectorFile]{
	func() schema { return schema{"anyOf": []schema{targetPatterns.schema(), targetLabels.schema()}} },
	func(r *reader, n *yaml.Node) selectorFile {
		if n.Kind == yaml.MappingNode {
			return selectorFile{labels: targetLabels.read(r, n)}
		}
		return selectorFile{names: targetPatterns.read(r, n)}
	},
}

var (
	targetPatterns = some("targets", maxTargets, pattern)
	targetLabels   = table(labelNames, scalar("a label"))
)

// rolloutForm is a list of batches, or a word.
var rolloutForm = form[rolloutFile]{
	func() schema { return schema{"anyOf": []schema{batches.schema(), {"const": driven}}} },
	func(r *reader, n *yaml.Node) rolloutFile {
		if n.Kind == yaml.ScalarNode && n.Value == driven {
			return rolloutFile{external: true}
		}
		return rolloutFile{batches: batches.read(r, n)}
	},
}

// conditionForm is the name of a check, or a mapping that names something else. Names are meant as they stand: a
// pattern would not say whose report is missing.
var conditionForm = either(
	convert(conditionName, func(check found[string]) conditionFile { return conditionFile{check: check} }),
	object[conditionFile]{
		what:  "a condition",
		oneOf: []string{"check", "status", "deployment", "environment"},
		fields: []field[conditionFile]{
			key("check", conditionName, func(f *conditionFile) *found[string] { return &f.check },
				"The newest check run of this name must be a success."),
			key("status", conditionName, func(f *conditionFile) *found[string] { return &f.status },
				"The newest commit status of this context must be a success."),
			key("deployment", conditionName, func(f *conditionFile) *found[string] { return &f.deployment },
				"The newest deployment in this environment that is not Waybill's own must be a success."),
			key("environment", conditionName, func(f *conditionFile) *found[string] { return &f.environment },
				"An environment of this name must exist."),
			key("app", appSlug, func(f *conditionFile) *found[string] { return &f.app },
				"The GitHub App whose check runs count.").otherwise(defaultApp),
		},
	}.form())

var conditionName = matching("a name as it stands, without *", `^[^*]+$`)

// The values of `pull-requests` of a stage.
const (
	perStep   = "step"
	perTarget = "target"
)

// driven is a rollout in which nothing starts by itself.
const driven = "external"

var batches = some("batches", maxBatches, batchForm)

// rolloutFields are the keys of a stage that are about its targets.
func rolloutFields() []field[stageFile] {
	return []field[stageFile]{
		key("targets", targetsForm, func(s *stageFile) *found[targetsFile] { return &s.targets },
			"The places that the stage consists of, such as clusters; the name of one is short for {name: NAME}. Or a glob, "+
				"such as clusters/*/values.yaml: every file that it matches in the repository is a target, named by what * "+
				"stands for; with / at its end every folder. `{find: GLOB, labels: {from: FILE}}` gives those labels. Or "+
				"`{from: FILE}`: the items of a list in another file of the "+
				"repository, whose `path` is the path, and whose other keys are labels.").otherwise("it is one place"),
		key("rollout", rolloutForm, func(s *stageFile) *found[rolloutFile] { return &s.rollout },
			"The batches in which targets are updated, one after the other. Every target is in exactly one. With `external` "+
				"no promotion starts automatically: people or programs promote one target after the other.").
			otherwise("all targets are one batch"),
		key("rollback", rollbackForm, func(s *stageFile) *found[rollbackFile] { return &s.rollback },
			"How a rollback goes through the targets, instead of by the batches.").
			otherwise("targets that need it go at once, the others by their batches, without waits"),
		key("max-failures", number("a number of targets", 0, maxFailed),
			func(s *stageFile) *found[int] { return &s.maxFailures },
			"How many targets may fail before `on-failure` applies.").otherwise("0"),
		key(
			"on-failure", word(promotion.BeyondPauses, promotion.BeyondRollsBack, promotion.BeyondContinues),
			func(s *stageFile) *found[promotion.BeyondMode] { return &s.beyond },
			"The answer when more targets fail: `pause` ends the rollout and holds freight of its "+
				"warehouse; `rollback` also brings the "+
				"updated targets back to the freight that was verified before; `continue` goes on to the end. A stage "+
				"without targets goes back with `rollback` when its freight fails.",
		).otherwise("pause"),
		key("pull-requests", word(perStep, perTarget), func(s *stageFile) *found[string] { return &s.pulls },
			"Whether the targets that are updated at once share a pull request, or each has its own.").otherwise("step"),
		key(
			"ready", some("conditions", maxMatchers, conditionForm),
			func(s *stageFile) *found[[]found[conditionFile]] { return &s.ready },
			"Conditions that a target must meet before it takes part; until then it waits. The name of a check is "+
				"short for {check: NAME}.",
		).otherwise("nothing"),
	}
}

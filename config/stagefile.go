package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// stageFile is the content of a pipeline file about one stage.
type stageFile struct {
	from        found[[]entry[sourceFile]]
	after       found[gateFile]
	files       found[placeFile]
	set         changed
	kustomize   changed
	helm        changed
	json        changed
	replace     changed
	copy        found[[]entry[copyFile]]
	branch      found[string]
	dispatch    found[dispatchFile]
	verify      found[[]found[matcherFile]]
	commit      found[string]
	merge       found[promotion.MergeMode]
	mergeMethod found[string]
	attention   found[attentionFile]
	queue       found[promotion.QueueMode]
	intake      found[promotion.IntakeMode]
	onFailure   found[promotion.FailureMode]
	drift       found[promotion.DriftMode]
	environment found[environmentFile]
	slack       found[string]
	approvals   found[int]
	freeze      found[[]found[freezeFile]]
	guard       found[bool]
	groups      found[[]found[string]]
	targets     found[targetsFile]
	rollout     found[rolloutFile]
	pulls       found[string]
	rollback    found[rollbackFile]
	maxFailures found[int]
	beyond      found[promotion.BeyondMode]
	ready       found[[]found[conditionFile]]
}

// placeFile is where the files of a stage are.
type placeFile struct{ repo, branch found[string] }

// environmentFile is an environment on GitHub, and the address of the deployments there.
type environmentFile struct{ name, url found[string] }

// copyFile is the source of a folder. One of warehouse and stage is given.
type copyFile struct{ from, warehouse, stage found[string] }

type sourceFile struct{ after found[gateFile] }

// gateFile asks for a number of upstream stages. One of the lists is given; of goes with atLeast.
type gateFile struct {
	any, all, majority, of found[[]found[string]]
	atLeast                found[quantity]
	soak                   found[time.Duration]
	short                  bool // any was written as the name of a stage alone
}

// matcherFile names a signal. One of check, status and deployment is given.
type matcherFile struct {
	check, status, deployment, app found[string]
	appear, timeout                found[time.Duration]
	missing, skipped               found[promotion.Lack]
}

// The defaults of a matcher: its times, and the App whose checks count.
const (
	defaultAppear  = 15 * time.Minute
	defaultTimeout = time.Hour
	defaultApp     = "github-actions"
)

const (
	month = 30 * 24 * time.Hour
	year  = 365 * 24 * time.Hour
)

var stageForm = object[stageFile]{
	what: "a stage",
	fields: slices.Concat([]field[stageFile]{
		key("from", sourcesForm, func(s *stageFile) *found[[]entry[sourceFile]] { return &s.from },
			"The warehouse that freight comes from; of several, a mapping with the gate of each.").needed(),
		key("after", gateForm, func(s *stageFile) *found[gateFile] { return &s.after },
			"The stages that must have verified freight before.").otherwise("straight from the warehouse"),
		key("files", placeForm, func(s *stageFile) *found[placeFile] { return &s.files },
			"The place of the stage's files. Another repository must allow it.").otherwise("on the branch that the " +
			"pipeline file is on"),
	}, changeFields(), []field[stageFile]{
		key("copy", table(folderNames, copyForm), func(s *stageFile) *found[[]entry[copyFile]] { return &s.copy },
			"The folders that a promotion makes equal to others, and the source of each.").otherwise("nothing: a stage that " +
			"changes no file passes freight on"),
		key("branch", branch, func(s *stageFile) *found[string] { return &s.branch },
			"A branch of the repository that the freight is from: a promotion makes its tree equal to that of "+
				"the freight's commit.").otherwise("the stage changes files"),
		key("dispatch", dispatchForm, func(s *stageFile) *found[dispatchFile] { return &s.dispatch },
			"The workflow that a promotion starts instead of changing files; its conclusion is the verdict.").
			otherwise("no workflow"),
		key(
			"verify", some("matchers", maxMatchers, matcherForm),
			func(s *stageFile) *found[[]found[matcherFile]] { return &s.verify },
			"The signals that verify freight here; the name of a check is short for {check: NAME}.",
		).otherwise("verified once merged"),
		key("commit", word(byPull, directly), func(s *stageFile) *found[string] { return &s.commit },
			"Whether a promotion is a pull request, or a commit straight on the branch.").otherwise(byPull),
		key("merge", word(promotion.MergeAuto, promotion.MergeManual),
			func(s *stageFile) *found[promotion.MergeMode] { return &s.merge },
			"Who merges a promotion's pull request: Waybill when GitHub lets it, or a person.").otherwise("auto"),
		key("merge-method", word("squash", "merge", "rebase"), func(s *stageFile) *found[string] { return &s.mergeMethod },
			"The method of the merge.").otherwise("the best that the repository and the branch's rules allow: squash, merge, " +
			"rebase"),
		key("pull-request", attentionForm, func(s *stageFile) *found[attentionFile] { return &s.attention },
			"The labels, reviewers and assignees of a promotion's pull request.").otherwise("none"),
		key("queue", word(promotion.QueueLatest, promotion.QueueFIFO),
			func(s *stageFile) *found[promotion.QueueMode] { return &s.queue },
			"Whether newer freight replaces freight that waits, or all of it runs in order.").otherwise("latest"),
		key("intake", word(promotion.IntakeAtOnce, promotion.IntakeAfterSoak),
			func(s *stageFile) *found[promotion.IntakeMode] { return &s.intake },
			"Whether the stage takes new freight by itself as soon as it can, or lets what it hosts soak first, for as long as "+
				"stages behind it want.").otherwise("at-once"),
		key("on-failed-verification", word(promotion.OnFailureCancel, promotion.OnFailureHold, promotion.OnFailureContinue),
			func(s *stageFile) *found[promotion.FailureMode] { return &s.onFailure },
			"Whether a failed verification cancels the automatic promotions of its warehouse that wait, holds "+
				"freight of its warehouse, or lets the next one start.").otherwise("cancel"),
		key(
			"drift", word(promotion.DriftReport, promotion.DriftIgnore, promotion.DriftRepair),
			func(s *stageFile) *found[promotion.DriftMode] { return &s.drift },
			"Whether a change by hand of a promoted value is reported, ignored, or undone by a new promotion where the policy "+
				"lets the stage promote automatically.",
		).otherwise("report"),
		key("approvals", signOffs, func(s *stageFile) *found[int] { return &s.approvals },
			"The number of people who must sign a promotion off before it is merged. The policy file says who may.").
			otherwise("0"),
		key("freeze", some("freezes", maxFreezes, freezeForm),
			func(s *stageFile) *found[[]found[freezeFile]] { return &s.freeze },
			"Times at which no promotion starts and Waybill merges none.").otherwise("never"),
		key("environment", environmentForm, func(s *stageFile) *found[environmentFile] { return &s.environment },
			"The GitHub environment in which each promotion is a deployment; its name is short for {name: NAME}. With "+
				"${target.name} in it each target has an environment and a deployment of its own.").otherwise("no deployments"),
		key("slack", slackChannel, func(s *stageFile) *found[string] { return &s.slack },
			"The Slack channel for messages about the stage's promotions, by name or id; Waybill's bot must be in it, and it "+
				"must be [claimed](slack.md#whose-a-channel-is).").
			otherwise("no channel"),
		key("guard", truth, func(s *stageFile) *found[bool] { return &s.guard },
			"Whether people's pull requests that change the stage's files get a check, which waits while the stage verifies, "+
				"is held or is frozen.").
			otherwise("false"),
		key("groups", some("groups", maxGroups, groupName), func(s *stageFile) *found[[]found[string]] { return &s.groups },
			"The groups by which [commands](commands.md#several-stages) name the stage together with others, as in "+
				"`/hold group:prod`.").
			otherwise("none; a pattern such as `*-prod` names stages, too"),
	}, rolloutFields()),
}.form()

var (
	placeForm = placeOf("the place of a stage's files", "the home repository",
		"called as the home repository's default branch")
	targetPlaceForm = placeOf("the place of a target's files", "as for the stage", "called as for the stage")
)

// placeOf describes the place of files, with the defaults for its repository and branch.
func placeOf(what, repo, called string) form[placeFile] {
	return object[placeFile]{
		what:  what,
		anyOf: []string{"repo", "branch"},
		fields: []field[placeFile]{
			key("repo", repository, func(p *placeFile) *found[string] { return &p.repo },
				"The repository that they are in.").otherwise(repo),
			key("branch", branch, func(p *placeFile) *found[string] { return &p.branch },
				"The branch that they are on.").otherwise(called),
		},
	}.form()
}

// groupName is the name of a group of stages.
var groupName = matching("the name of a group, of letters, digits, - _ and single dots between them",
	stageNames.pattern.text)

// maxGroups is how many groups a stage may be in.
const maxGroups = 20

var folderNames = naming{what: "a folder", pattern: expressed(`\S`), rule: "it is empty", most: maxCopies}

var copyForm = object[copyFile]{
	what:  "a copy",
	oneOf: []string{"warehouse", "stage"},
	fields: []field[copyFile]{
		key("from", text("a folder"), func(c *copyFile) *found[string] { return &c.from },
			"The folder that is copied.").needed(),
		key("warehouse", text("the name of a warehouse"), func(c *copyFile) *found[string] { return &c.warehouse },
			"The source is the repository of this warehouse, at the freight's commit."),
		key("stage", text("the name of a stage"), func(c *copyFile) *found[string] { return &c.stage },
			"The source is this repository, at the commit with which the freight came into this stage, for "+
				"which the stage waits."),
	},
}.form()

// slackChannel is the name of a channel with its #, or its id.
var slackChannel = matching(`a channel of Slack such as "#deploys" (in quotes, because of the #), or its id`,
	`^(#[^\s#@<>&|,]{1,80}|[CG][A-Z0-9]{5,30})$`)

// environmentName is the form of an environment's name that GitHub takes.
const environmentPattern = `^[^\s\pC](?:[^\pC]{0,253}[^\s\pC])?$`

var environmentName = matching("the name of an environment", environmentPattern)

// environmentForm is the name of an environment, or a mapping as GitHub's workflows have it.
var environmentForm = either(
	convert(environmentName, func(name found[string]) environmentFile { return environmentFile{name: name} }),
	object[environmentFile]{
		what: "an environment",
		fields: []field[environmentFile]{
			key("name", environmentName, func(e *environmentFile) *found[string] { return &e.name },
				"What GitHub calls it.").needed(),
			key("url", matching("an address such as https://prod.example.com", `^https?://[^\s\pC"<>]{1,1000}$`),
				func(e *environmentFile) *found[string] { return &e.url },
				"The address of the deployed program.").otherwise("GitHub links nothing"),
		},
	}.form())

// signOffs counts people. Who needs more than that has forgotten to say who they are.
var signOffs = number("a number of people", 0, 20)

// sourcesForm is a warehouse's name, or a mapping from such names to gates.
var sourcesForm = either(
	convert(text("the name of a warehouse"), func(name found[string]) []entry[sourceFile] {
		return []entry[sourceFile]{{name.value, found[sourceFile]{key: name.key, at: name.at, bad: name.bad}}}
	}),
	table(warehouseNames, object[sourceFile]{
		what:    "a source",
		nothing: true,
		fields: []field[sourceFile]{
			key("after", gateForm, func(s *sourceFile) *found[gateFile] { return &s.after },
				"The stages that must have verified this warehouse's freight before.").otherwise("straight from the warehouse"),
		},
	}.form()),
)

// gateForm is a stage's name, or a mapping that says how many of which stages. A bare list is refused, because people
// who know GitHub Actions take it to mean all and others to mean any.
var gateForm = refuseList(either(
	convert(text("the name of a stage"), func(name found[string]) gateFile {
		one := found[[]found[string]]{value: []found[string]{name}, key: name.key, at: name.at, bad: name.bad}
		return gateFile{any: one, short: true}
	}),
	object[gateFile]{
		what:     "a gate",
		oneOf:    []string{"any", "all", "majority", "at-least"},
		together: [][]string{{"at-least", "of"}},
		fields: []field[gateFile]{
			key("any", upstreams, func(g *gateFile) *found[[]found[string]] { return &g.any }, "One of these stages is enough."),
			key("all", upstreams, func(g *gateFile) *found[[]found[string]] { return &g.all }, "Each of these stages."),
			key("majority", upstreams, func(g *gateFile) *found[[]found[string]] { return &g.majority },
				"More than half of these stages."),
			key("at-least", quantityForm, func(g *gateFile) *found[quantity] { return &g.atLeast },
				"At least this many of the stages in `of`: a number, or a percentage, rounded up."),
			key("of", upstreams, func(g *gateFile) *found[[]found[string]] { return &g.of },
				"The stages that `at-least` counts."),
			key("soak", duration(0, year), func(g *gateFile) *found[time.Duration] { return &g.soak },
				"The time for which each of them must have hosted the freight since it was verified there.").otherwise("0s"),
		},
	}.form()))

var upstreams = some("stages", maxStages, text("the name of a stage"))

func refuseList(f form[gateFile]) form[gateFile] {
	return form[gateFile]{f.schema, func(r *reader, n *yaml.Node) gateFile {
		if n.Kind != yaml.SequenceNode {
			return f.read(r, n)
		}
		var names []string
		for _, element := range n.Content {
			names = append(names, shorten(element.Value))
		}
		stages := shorten(strings.Join(names, ", "))
		r.errorf(posOf(n), "a bare list could mean any or all; write {any: [%s]} or {all: [%s]}", stages, stages)
		return gateFile{}
	}}
}

// quantity is a number, or a percentage, of something.
type quantity struct {
	n       int
	percent bool
}

// of returns how many of some things are meant: a percentage is rounded down, to at least one.
func (q quantity) of(all int) int {
	if q.percent {
		return max(1, all*q.n/100)
	}
	return q.n
}

// quantityForm is a positive number, or a percentage up to 100%.
var quantityForm = form[quantity]{
	func() schema {
		return schema{"anyOf": []schema{
			{"type": "integer", "minimum": 1}, {"type": "string", "pattern": `^([1-9][0-9]?|100)%$`},
		}}
	},
	func(r *reader, node *yaml.Node) quantity {
		digits, percent := strings.CutSuffix(node.Value, "%")
		n, err := strconv.Atoi(digits)
		number := node.Kind == yaml.ScalarNode && (percent || node.ShortTag() == "!!int")
		if !number || err != nil || n < 1 || percent && n > 100 || strconv.Itoa(n) != digits {
			r.wrong(node, "a number such as 2 or a percentage such as 60%, and at least 1")
		}
		return quantity{n, percent}
	},
}

// matcherForm is the name of a check, or a mapping that names a signal of any kind.
var matcherForm = either(
	convert(pattern, func(check found[string]) matcherFile { return matcherFile{check: check} }),
	object[matcherFile]{
		what:  "a matcher",
		oneOf: []string{"check", "status", "deployment"},
		fields: []field[matcherFile]{
			key("check", pattern, func(m *matcherFile) *found[string] { return &m.check },
				"The name of check runs; * stands for anything."),
			key("status", pattern, func(m *matcherFile) *found[string] { return &m.status },
				"The context of commit statuses; * stands for anything."),
			key("deployment", pattern, func(m *matcherFile) *found[string] { return &m.deployment },
				"The environment of deployments; * stands for anything."),
			key("app", appSlug,
				func(m *matcherFile) *found[string] { return &m.app }, "The GitHub App whose checks count.").otherwise(defaultApp),
			key("appear", duration(time.Second, month), func(m *matcherFile) *found[time.Duration] { return &m.appear },
				"The time after the merge within which the first signal must exist.").otherwise("15m"),
			key("timeout", duration(time.Second, month), func(m *matcherFile) *found[time.Duration] { return &m.timeout },
				"The time after the merge within which the verdict must exist.").otherwise("1h"),
			key("missing", lack, func(m *matcherFile) *found[promotion.Lack] { return &m.missing },
				"The verdict when no signal has appeared.").otherwise("hold"),
			key("skipped", lack, func(m *matcherFile) *found[promotion.Lack] { return &m.skipped },
				"The verdict when every matching check run was skipped.").otherwise("hold"),
		},
	}.form())

var appSlug = matching("the slug of a GitHub App such as github-actions", `^[a-z0-9][a-z0-9-]*$`)

var lack = word(promotion.LackHolds, promotion.LackPasses, promotion.LackFails)

// maxStars is how often * may stand in a pattern. More of them say nothing more, and cost time on every signal.
const maxStars = 4

var pattern = matching(fmt.Sprintf("a name in which * stands for anything, at most %d times", maxStars),
	fmt.Sprintf(`^[^*]*(\*[^*]*){0,%d}$`, maxStars))

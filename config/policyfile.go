package config

import (
	"time"

	"waybill/promotion"
)

// policyFile is the content of a policy file.
type policyFile struct {
	version   found[int]
	automatic found[[]found[string]]
	stages    found[[]entry[floorFile]]
	may       found[mayFile]
	retention found[retentionFile]
}

// floorFile has the demands that a stage cannot go below, even in the pipeline file.
type floorFile struct {
	merge     found[promotion.MergeMode]
	approvals found[int]
	after     found[gateFile]
	soak      found[time.Duration]
	verify    found[[]found[matcherFile]]
	freeze    found[[]found[freezeFile]]
	guard     found[bool]
	rollbacks found[bool]
}

// mayFile holds the rules of the roles that the file names.
type mayFile struct {
	rules map[string]*found[[]found[ruleFile]]
}

func (m *mayFile) role(name string) *found[[]found[ruleFile]] {
	if m.rules == nil {
		m.rules = make(map[string]*found[[]found[ruleFile]])
	}
	if m.rules[name] == nil {
		m.rules[name] = &found[[]found[ruleFile]]{}
	}
	return m.rules[name]
}

type ruleFile struct {
	stages     found[[]found[string]]
	permission found[string]
	teams      found[[]found[string]]
	not        found[[]found[string]]
}

var policyForm = object[policyFile]{
	what: "a policy file",
	fields: []field[policyFile]{
		key("version", version, func(f *policyFile) *found[int] { return &f.version },
			"The version of the file's format, 1.").needed(),
		key("automatic", list("stages", maxStages, stagePattern),
			func(f *policyFile) *found[[]found[string]] { return &f.automatic },
			"The stages that promote automatically; * stands for anything.").otherwise("none"),
		key("stages", table(stagePatterns, floorForm), func(f *policyFile) *found[[]entry[floorFile]] { return &f.stages },
			"Floors for stages, by name; * stands for anything. What a stage leaves out is as its floor says, and it can "+
				"only ask for more."),
		key("may", object[mayFile]{what: "roles", fields: roleFields()}.form(),
			func(f *policyFile) *found[mayFile] { return &f.may },
			"The rules of each role. Of a role's rules the first one whose stages match decides; where none "+
				"matches, no one may."),
		key("retention", retentionForm, func(f *policyFile) *found[retentionFile] { return &f.retention },
			"How long the server keeps rows that no decision needs any more. Only in the policy file of the server."),
	},
}.form()

const stagePatternRule = `^[A-Za-z0-9._*-]+$`

var (
	stagePattern  = matching("the name of a stage, in which * stands for anything", stagePatternRule)
	stagePatterns = naming{
		what:    "a stage",
		pattern: expressed(stagePatternRule),
		rule:    "it takes letters, digits, - _ and dots, and * for anything",
		most:    maxStages,
	}
)

var floorForm = object[floorFile]{
	what: "floors of a stage",
	fields: []field[floorFile]{
		key("merge", word(promotion.MergeAuto, promotion.MergeManual),
			func(s *floorFile) *found[promotion.MergeMode] { return &s.merge },
			"With manual a person merges.").otherwise("auto"),
		key("approvals", signOffs, func(s *floorFile) *found[int] { return &s.approvals },
			"The least number of people who must sign a promotion off.").otherwise("0"),
		key("after", gateForm, func(s *floorFile) *found[gateFile] { return &s.after },
			"The stages that must have verified freight before, of every warehouse.").otherwise("none"),
		key("soak", duration(0, year), func(s *floorFile) *found[time.Duration] { return &s.soak },
			"The least time for which freight must soak in the stages before, whichever these are.").otherwise("0s"),
		key("verify", some("matchers", maxMatchers, matcherForm),
			func(s *floorFile) *found[[]found[matcherFile]] { return &s.verify },
			"The signals that must be among those that verify freight here.").otherwise("none"),
		key("freeze", some("freezes", maxFreezes, freezeForm),
			func(s *floorFile) *found[[]found[freezeFile]] { return &s.freeze },
			"Times at which no promotion starts, besides those of the stage.").otherwise("none"),
		key("guard", truth, func(s *floorFile) *found[bool] { return &s.guard },
			"Whether people's pull requests that change the stage's files must get the check.").otherwise("false"),
		key("rollbacks", truth, func(s *floorFile) *found[bool] { return &s.rollbacks },
			"Whether every rollback needs the sign-offs of the stage. With false one to the freight that was verified "+
				"there last needs none.").otherwise("true where the file says approvals, else false"),
	},
}.form()

// role is the right of some people to some commands.
type role struct {
	name  string
	verb  promotion.CommandVerb
	doc   string
	usual string   // who has it where the file does not say
	not   []string // whom its rules leave out where they do not say
}

var roles = []role{
	{"promote", promotion.CmdPromote, "Who may promote freight.", "write", nil},
	{"rollback", promotion.CmdRollback, "Who may roll a stage back.", "write", nil},
	{"hold", promotion.CmdHold, "Who may hold a stage.", "write", nil},
	{"unhold", promotion.CmdUnhold, "Who may lift holds.", "the hold's owner, or maintain", nil},
	{"cancel", promotion.CmdCancel, "Who may cancel a promotion.", "write", nil},
	{"pause", promotion.CmdPause, "Who may pause a rollout.", "write", nil},
	{"resume", promotion.CmdResume, "Who may resume a paused rollout.", "write", nil},
	{"skip", promotion.CmdSkip, "Who may leave a target out of a rollout.", "write", nil},
	{"retry", promotion.CmdRetry, "Who may try a promotion again.", "write", nil},
	{"verify", promotion.CmdVerify, "Who may have all signals read again.", "write", nil},
	{"approve", promotion.CmdApprove, "Who may sign a promotion off.", "write, but not the author or requester",
		promotion.Signers()},
	{"deny", promotion.CmdDeny, "Who may refuse a promotion.", "write", nil},
	{"admit", promotion.CmdAdmit, "Who may make freight available that has not earned it.", "nobody", nil},
	{"force", promotion.CmdVerdict, "Who may decide a verification that no check decided, and " +
		"reject freight: without rules that is maintain.", "nobody", nil},
	{"status", "status", "Who may see the state of stages.", "read", nil},
	{"why", "why", "Who may see why something waits.", "read", nil},
	{"plan", "plan", "Who may see the plan of a promotion.", "read", nil},
	{"help", "help", "Who may ask for help.", "read", nil},
	{"history", "history", "Who may see the history of a stage.", "read", nil},
	{"where", "where", "Who may see where freight is.", "read", nil},
}

func roleFields() []field[mayFile] {
	fields := make([]field[mayFile], len(roles))
	for i, role := range roles {
		fields[i] = key(role.name, list("rules", maxNames, ruleForm),
			func(m *mayFile) *found[[]found[ruleFile]] { return m.role(role.name) }, role.doc).otherwise(role.usual)
	}
	return fields
}

var ruleForm = object[ruleFile]{
	what:  "a rule",
	anyOf: []string{"permission", "teams"},
	fields: []field[ruleFile]{
		key("stages", some("stages", maxStages, stagePattern), func(f *ruleFile) *found[[]found[string]] { return &f.stages },
			"The stages that the rule decides for; * stands for anything.").otherwise("all"),
		key("permission", word("read", "triage", "write", "maintain", "admin"),
			func(f *ruleFile) *found[string] { return &f.permission },
			"The least permission on the home repository.").otherwise("read"),
		key("teams",
			some("teams", maxNames, matching("the slug of a team such as sre", `^([A-Za-z0-9-]+/)?[A-Za-z0-9_.-]+$`)),
			func(f *ruleFile) *found[[]found[string]] { return &f.teams },
			"Teams of which the person must be in one.").otherwise("any"),
		key("not", list("parts", maxNames, word("author", "requester", "last-pusher")),
			func(f *ruleFile) *found[[]found[string]] { return &f.not },
			"People who may not although they have the right: the freight's author, the person who asked for the promotion, "+
				"the person who pushed last to its branch. [] leaves nobody out.").
			otherwise("author and requester for approve, else nobody"),
	},
}.form()

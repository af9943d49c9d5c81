package command

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// Nature is how careful a command has to be. Stopping is lenient, going is strict, asking changes nothing.
type Nature int

// The natures of commands.
const (
	Goes Nature = iota
	Stops
	Asks
)

// slot is a place for an argument that stands without a flag.
type slot int

const (
	stageSlot slot = iota
	freightSlot
	promotionSlot
	toFreightSlot // a freight, with or without the word "to" before it
	verdictSlot
	planSlot // the beginning of a commit, or of the hash of a plan
)

// Means is a way to give a command other than to type it. Typed, in a comment, in Slack or over the API, it can be
// given everywhere.
type Means int

// The means.
const (
	InReview Means = iota // in the summary of a review: commands that judge it
	ByLabel               // by a label that is put on a pull request, or taken off
	OnCheck               // by a button of a check run
	InSlack               // by a button in Slack
)

// Usage describes a command. The parser, the rights by default, `/help`, docs/commands.md and the completions of a
// shell are made of the same table.
type Usage struct {
	Verb    promotion.CommandVerb
	Aliases []string // other words for it, which other tools have taught people
	Args    string   // as people read them: "STAGE [FREIGHT]"
	Does    string   // a sentence
	Example string   // with all of its arguments
	Nature  Nature
	Default []promotion.Rule // who may without a rule of the policy file; none: it is refused
	Means   []Means          // besides typing it

	slots   []slot
	flags   []string
	Targets bool // it can be about one target of a stage
	Several bool // it can be about several stages at once, by a pattern, a group or a list
}

// Commands are all commands, in the order in which help lists them.
var Commands = []Usage{
	{
		Verb: promotion.CmdPromote, Args: "STAGE[/TARGET] [FREIGHT] [--when-available]",
		slots: []slot{stageSlot, freightSlot}, Targets: true, Default: []promotion.Rule{{Permission: promotion.Write}},
		flags: []string{"--when-available"}, Means: []Means{ByLabel},
		Does: "Queues a promotion into the stage, or into one target of it. Without FREIGHT it means the freight of the " +
			"pull request that the comment stands on; in Slack, on the page and the command line the newest freight that the " +
			"stage may take. With `--when-available` it waits until the stage may take it.",
		Example: "/promote prod api#142",
	},
	{
		Verb: promotion.CmdPlan, Args: "STAGE [FREIGHT]", slots: []slot{stageSlot, freightSlot}, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does:    "Says what promoting would do: what it would write, who has to sign off, and what is missing.",
		Example: "/plan prod api#142",
	},
	{
		Verb: promotion.CmdApprove, Args: "STAGE [COMMIT] [--withdraw]", slots: []slot{stageSlot, planSlot},
		flags: []string{"--withdraw"}, Default: []promotion.Rule{{Permission: promotion.Write, Not: promotion.Signers()}},
		Means: []Means{InReview, OnCheck, InSlack},
		Does: "Signs off the plan that the stage has shown when this was written, or the commit that it names by seven " +
			"digits or more. When the plan changes, the sign-off is void. With `--withdraw` it takes one's own sign-off back, " +
			"as a review that requests changes does.",
		Example: "/approve prod 3f182b5",
	},
	{
		Verb: promotion.CmdDeny, Args: "STAGE [REASON]", slots: []slot{stageSlot}, Nature: Stops,
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Means:   []Means{InReview, OnCheck, InSlack},
		Does:    "Refuses the plan that the stage shows: its promotion ends.",
		Example: "/deny prod not on a Friday",
	},
	{
		Verb: promotion.CmdAdmit, Args: `[FREIGHT] STAGE --because "..."`, slots: []slot{freightSlot, stageSlot},
		flags:   []string{"--because"},
		Does:    "Makes freight available to a stage although it has not earned it, for a day.",
		Example: `/admit api#142 prod --because "hot fix"`,
	},
	{
		Verb: promotion.CmdReject, Args: `[FREIGHT] [STAGE] --because "..."`, slots: []slot{freightSlot, stageSlot},
		flags: []string{"--because"}, Default: []promotion.Rule{{Permission: promotion.Maintain}},
		Does: "Says that freight is bad: the stage, or without one every stage, no longer counts it, or later freight " +
			"of its warehouse, as verified, and no stage behind takes it, `/admit` or not.",
		Example: `/reject api#142 dev --because "it loses orders"`,
	},
	{
		Verb: promotion.CmdUnreject, Args: "[FREIGHT] [STAGE]", slots: []slot{freightSlot, stageSlot},
		Default: []promotion.Rule{{Permission: promotion.Maintain}},
		Does:    "Takes a reject back: that of the stage, or without one all of the freight.",
		Example: "/unreject api#142 dev",
	},
	{
		Verb: promotion.CmdFixes, Args: "[FREIGHT] [STAGE]", slots: []slot{freightSlot, stageSlot},
		Default: []promotion.Rule{{Permission: promotion.Maintain}},
		Does:    "Says that freight repairs what was rejected before it: from that freight on the reject counts no more.",
		Example: "/fixes api#150",
	},
	{
		Verb: promotion.CmdRollback, Args: `STAGE[/TARGET] [to FREIGHT] [--because "..."]`,
		slots: []slot{stageSlot, toFreightSlot}, Targets: true, flags: []string{"--because"},
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Means:   []Means{OnCheck, InSlack},
		Does: "Goes back to the freight that was verified there before, ahead of everything else, and " +
			"holds freight of its warehouse then. One target goes back alone.",
		Example: `/rollback prod to api#141 --because "it burns"`,
	},
	{
		Verb: promotion.CmdHold, Aliases: []string{"lock"},
		Args:  "STAGES[/TARGET] [WAREHOUSE]|--all [for 2h|until monday 9am|REASON] [--for 2h]",
		slots: []slot{stageSlot}, Several: true, Targets: true, Nature: Stops,
		flags: []string{"--all", "--for", "--because"}, Default: []promotion.Rule{{Permission: promotion.Write}},
		Means: []Means{InReview, ByLabel, OnCheck, InSlack},
		Does: "Stops the stage, freight of one warehouse in it, or the whole pipeline: nothing starts or is merged until " +
			"somebody lifts the hold, or its time is over. `until monday 9am` is by the pipeline's `timezone`. Behind a " +
			"warehouse or a time, a reason begins with `because`; other words there make all of it the reason of a hold of " +
			"the whole stage. What names no stage holds the whole pipeline. The answer says what is held. Rollouts pass over " +
			"a target that is held.",
		Example: "/hold prod the database is slow --for 2h",
	},
	{
		Verb: promotion.CmdUnhold, Aliases: []string{"unlock", "remove-hold"}, Args: "STAGES[/TARGET] [WAREHOUSE]|--all",
		slots: []slot{stageSlot}, Several: true, Targets: true, flags: []string{"--all"},
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Means:   []Means{ByLabel},
		Does: "Lifts a hold: one's own, or, with maintain permission, anybody's. With that of a stage it lifts those of " +
			"its warehouses.",
		Example: "/unhold prod",
	},
	{
		Verb: promotion.CmdCancel, Args: "STAGES [PROMOTION]|PROMOTION", slots: []slot{stageSlot, promotionSlot},
		Several: true, Nature: Stops,
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Means:   []Means{InSlack},
		Does: "Ends the promotion that it names (`p4`, also without its stage, or freight as `api#142`); else that of " +
			"the pull request that it stands on; else the one that runs and is not merged, or the only one that waits.",
		Example: "/cancel prod",
	},
	{
		Verb: promotion.CmdRetry, Args: "STAGE", slots: []slot{stageSlot},
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Means:   []Means{OnCheck, InSlack},
		Does:    "Promotes again what failed there last.",
		Example: "/retry prod",
	},
	{
		Verb: promotion.CmdPause, Args: "STAGE", slots: []slot{stageSlot}, Nature: Stops,
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Does:    "Pauses the rollout that runs: its open pull request is not merged, and no further step begins.",
		Example: "/pause prod",
	},
	{
		Verb: promotion.CmdResume, Args: "STAGE", slots: []slot{stageSlot},
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Does: "Lets a rollout go on that somebody has paused, and takes over an open promotion whose asker has lost " +
			"the right.",
		Example: "/resume prod",
	},
	{
		Verb: promotion.CmdSkip, Args: "STAGE/TARGET", slots: []slot{stageSlot}, Targets: true,
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Does: "Leaves a target out of the rollout that runs, if it has not been updated yet. What has failed " +
			"is taken up by /retry.",
		Example: "/skip prod/eu-1",
	},
	{
		Verb: promotion.CmdVerify, Args: "STAGE", slots: []slot{stageSlot},
		Default: []promotion.Rule{{Permission: promotion.Write}},
		Does:    "Asks GitHub for the checks again, and decides anew whether the stage's freight is good.",
		Example: "/verify prod",
	},
	{
		Verb: promotion.CmdVerdict, Args: `STAGE pass|fail --because "..."`, slots: []slot{stageSlot, verdictSlot},
		flags:   []string{"--because"},
		Does:    "Says that the freight in the stage is good (pass) or bad (fail), whatever the checks say.",
		Example: `/verdict prod pass --because "seen it work"`,
	},
	{
		Verb: promotion.CmdStatus, Args: "[STAGES]", slots: []slot{stageSlot}, Several: true, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does:    "Says what is where, what is on its way, and what it waits for.",
		Example: "/status prod",
	},
	{
		Verb: promotion.CmdWhy, Args: "STAGES [FREIGHT]", slots: []slot{stageSlot, freightSlot},
		Several: true, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does:    "Says why freight is where it is in a stage, and what it waits for.",
		Example: "/why prod api#142",
	},
	{
		Verb: promotion.CmdHistory, Args: "STAGES", slots: []slot{stageSlot}, Several: true, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does:    "Lists the ten latest promotions of a stage; `waybill promotions` lists more.",
		Example: "/history prod",
	},
	{
		Verb: promotion.CmdWhere, Args: "[FREIGHT]", slots: []slot{freightSlot}, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does: "Says how far freight has come, or a pull request or a commit: stage by stage, also with freight that has " +
			"come after it and contains it.",
		Example: "/where api#142",
	},
	{
		Verb: promotion.CmdRefresh, Nature: Asks, Default: []promotion.Rule{{Permission: promotion.Write}},
		Does:    "Compares the pipeline with GitHub now (a resync) instead of at its next regular time.",
		Example: "/refresh",
	},
	{
		Verb: promotion.CmdHelp, Args: "[COMMAND]", slots: []slot{freightSlot}, Nature: Asks,
		Default: []promotion.Rule{{Permission: promotion.Read}},
		Does:    "Lists the commands, or explains one.",
		Example: "/help rollback",
	},
}

// Find returns how a command is used, found by its verb or one of its aliases, in any case of letters; nil if there is
// none.
func Find(word string) *Usage {
	for i := range Commands {
		u := &Commands[i]
		if fold(word, string(u.Verb)) || slices.ContainsFunc(u.Aliases, func(a string) bool { return fold(word, a) }) {
			return u
		}
	}
	return nil
}

// fold compares a word with one of ours, ignoring the case of letters. Other letters that turn into ours in lower case
// do not count.
func fold(word, ours string) bool { return len(word) == len(ours) && strings.EqualFold(word, ours) }

// UsageOf returns how the verb is used; nil if there is no such command.
func UsageOf(v promotion.CommandVerb) *Usage { return Find(string(v)) }

// IsQuestion reports whether the command changes nothing: it is answered with the state at the time of the answer.
func IsQuestion(v promotion.CommandVerb) bool { return natureOf(v) == Asks }

// OnlyStops reports whether the command only stops something: it is read leniently and never waits for another one.
func OnlyStops(v promotion.CommandVerb) bool { return natureOf(v) == Stops }

func natureOf(v promotion.CommandVerb) Nature {
	if u := UsageOf(v); u != nil {
		return u.Nature
	}
	return Goes
}

// GivenBy reports whether there is this way to give the command.
func GivenBy(v promotion.CommandVerb, m Means) bool {
	u := UsageOf(v)
	return u != nil && slices.Contains(u.Means, m)
}

// has reports whether a command has a place for an argument.
func (u *Usage) has(s slot) bool { return slices.Contains(u.slots, s) }

// onlyStages reports whether the command asks about stages and takes nothing else: all of its words are stages then.
func (u *Usage) onlyStages() bool {
	return u.Several && u.Nature == Asks && len(u.slots) == 1
}

// StageAt returns which argument of the command is a stage, counted from 1; 0 if none is.
func (u *Usage) StageAt() int { return slices.Index(u.slots, stageSlot) + 1 }

// takesFreight reports whether the command is about one freight.
func takesFreight(v promotion.CommandVerb) bool {
	u := UsageOf(v)
	return u != nil && (u.has(freightSlot) || u.has(toFreightSlot))
}

// isAboutFreight reports whether the command does something with one freight, and not with what the stage is busy with.
func isAboutFreight(v promotion.CommandVerb) bool {
	u := UsageOf(v)
	return u != nil && (u.has(freightSlot) || v == promotion.CmdRetry)
}

// needsStage reports whether the command makes no sense without a stage.
func needsStage(v promotion.CommandVerb) bool {
	u := UsageOf(v)
	return u == nil || u.has(stageSlot) && u.Verb != promotion.CmdHold && u.Verb != promotion.CmdStatus && !rejects(v)
}

// wantsReason reports whether the command needs a reason.
func wantsReason(v promotion.CommandVerb) bool {
	return v == promotion.CmdAdmit || v == promotion.CmdVerdict || v == promotion.CmdReject
}

// rejects reports whether the command is about rejected freight, in one stage or in all of them.
func rejects(v promotion.CommandVerb) bool {
	return v == promotion.CmdReject || v == promotion.CmdUnreject || v == promotion.CmdFixes
}

// NamesSeveral explains the word STAGES in the arguments of a command.
const NamesSeveral = "STAGES is one stage, or several at once: a pattern such as `*-prod`, a group such as " +
	"`group:prod`, which a stage is in by the key `groups` of the pipeline file, or a list such as `dev,*-prod`."

// Line returns the command as people type it, with the names of its arguments.
func (u *Usage) Line() string { return strings.TrimSpace("/" + string(u.Verb) + " " + u.Args) }

package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// Refusal returns why a request is refused in any state of the stage: it comes too late, it makes no sense here, the
// stage no longer shows the state that a button was pressed for, or the person may not; the zero reason if it is not.
func Refusal(s *promotion.Snapshot, r promotion.Request) promotion.Reason {
	if r.Late {
		return promotion.Because(promotion.Stale).With("it was given at " + r.At.UTC().Format("2006-01-02 15:04 MST"))
	}
	if head := r.Command.Lapsed; head != "" {
		return promotion.Because(promotion.Lapsed, string(head[:min(fewestDigits, len(head))]))
	}
	if why := misplaced(s, r.Command); !why.IsZero() {
		return why
	}
	if outdated(s, r.Command) {
		return OtherPlan(s)
	}
	if why := Forbids(s, r); !why.IsZero() {
		return why
	}
	return unknownTo(s, r)
}

// OtherPlan returns the reason that a command was given for a plan that is not the one that is shown, with what to do.
func OtherPlan(s *promotion.Snapshot) promotion.Reason {
	why := promotion.Because(promotion.PlanChanged)
	p := s.Active()
	if p == nil || p.State != promotion.WaitingForMerge {
		return why.With("see /status " + string(s.Stage.Name))
	}
	head := s.Attempt(p.Number).Made.Head
	short := head[:min(fewestDigits, len(head))]
	return why.With(fmt.Sprintf("promotion %s shows commit %s; look at it, and say /approve %s %s", p.Number, short,
		p.Stage, short))
}

// misplaced returns why a command makes no sense for this stage: it names none or one that does not exist, cannot be
// understood, or wants something of a stage that has no promotions; the zero reason if it does.
func misplaced(s *promotion.Snapshot, c promotion.Command) promotion.Reason {
	switch {
	case c.Trouble != "":
		return promotion.Because(promotion.Malformed).With(c.Trouble)
	case c.Stages != "" && c.Stage == "" && len(About(s.Pipeline, c)) == 0:
		return unknown(c.Stages).With("the pipeline file has changed since")
	case c.Stage == "" && needsStage(c.Verb) && !c.All && c.Stages == "":
		return misses(c, "a stage: "+stageNames(s.Pipeline))
	case c.Stage != "" && c.Stage != s.Stage.Name:
		return unknownStage(s.Pipeline, c)
	case c.Verb == promotion.CmdSkip && c.Target == "",
		c.Target != "" && c.Verb != promotion.CmdHold && !liftsHold(s, c):
		return misplacedTarget(s.Stage, c)
	case c.Freight != "" && !mayNameFreight(c.Verb):
		return tooMuch(c)
	case c.Rest != "" && c.Verb == promotion.CmdUnhold && !ofWarehouse(s.Stage, c):
		return unknown(c.Rest).With("holds are of a stage, of one target or of one warehouse: /unhold STAGE WAREHOUSE")
	case c.Text == "" && wantsReason(c.Verb):
		return misses(c, "a reason: --because \"...\"")
	case s.Stage.Delivery == promotion.DeliveryNone && c.Stage != "" && c.Verb != promotion.CmdHold &&
		c.Verb != promotion.CmdUnhold && !IsQuestion(c.Verb):
		return promotion.Because(promotion.NoChange).With(string(s.Stage.Name) +
			" only passes freight on; nothing is promoted into it")
	}
	return promotion.Reason{}
}

// liftsHold reports whether a command lifts a hold of a target, which may have left the pipeline file since.
func liftsHold(s *promotion.Snapshot, c promotion.Command) bool {
	if c.Verb != promotion.CmdUnhold {
		return false
	}
	of := HoldNamed(c, s.Stage)
	return slices.ContainsFunc(s.Holds, func(h promotion.Hold) bool { return h.SameAs(of) })
}

// ofWarehouse reports whether a command is about the freight of one warehouse that the stage takes.
func ofWarehouse(s *promotion.Stage, c promotion.Command) bool {
	return c.Stage != "" && c.Target == "" && WarehouseIn(s.From, c.Rest) != ""
}

// misplacedTarget returns why a command cannot be about the target that it names; the zero reason if it can.
func misplacedTarget(stage *promotion.Stage, c promotion.Command) promotion.Reason {
	switch names := stage.TargetNames(); {
	case !UsageOf(c.Verb).Targets:
		return promotion.Because(promotion.Malformed).With(fmt.Sprintf("/%s is about a whole stage: /%s %s", c.Verb,
			c.Verb, cmp.Or(c.Stages, string(c.Stage))))
	case names == "":
		return unknown(c.Place()).With("the stage has no targets")
	case c.Target == "":
		return misses(c, "a target: "+names)
	case stage.Target(c.Target) == nil:
		return unknown(c.Place()).With("the targets are " + names)
	}
	return promotion.Reason{}
}

// mayNameFreight reports whether freight that a command names is no mistake. A command that only stops something is
// read leniently, and the button of a retry names the freight that failed.
func mayNameFreight(v promotion.CommandVerb) bool {
	return takesFreight(v) || OnlyStops(v) || v == promotion.CmdRetry
}

// outdated reports whether a command was given for a state that has changed since. A command that stops everything
// counts all the same.
func outdated(s *promotion.Snapshot, c promotion.Command) bool {
	return c.Seen != "" && c.Verb != promotion.CmdHold && c.Seen != s.Seen()
}

// misses says that the command needs something it does not have.
func misses(c promotion.Command, what string) promotion.Reason {
	return promotion.Because(promotion.Malformed).With(fmt.Sprintf("/%s needs %s", c.Verb, what))
}

// tooMuch names the words that the command does not take.
func tooMuch(c promotion.Command) promotion.Reason {
	if c.Verb == promotion.CmdVerdict {
		return misses(c, "pass or fail behind the stage")
	}
	return promotion.Because(promotion.Malformed).With(fmt.Sprintf("/%s does not take %s", c.Verb, c.Freight))
}

// NoStage says which name in a word names no stage, and which stages or groups there are.
func NoStage(p *promotion.Pipeline, word string) promotion.Reason {
	name := unnamed(p, word)
	return unknown(name).With(known(p, name))
}

// unknownStage says that a command names no stage, or which of the names in its list does not.
func unknownStage(p *promotion.Pipeline, c promotion.Command) promotion.Reason {
	why := NoStage(p, string(c.Stage))
	if unnamed(p, string(c.Stage)) == string(c.Stage) {
		return unknown(c.Place()).With(why.Detail)
	}
	return why
}

// known says what there is, to a person who has named something else: groups, or stages.
func known(p *promotion.Pipeline, word string) string {
	switch groups := groupNames(p); {
	case len(listed(word)) > longestList:
		return fmt.Sprintf("a list has %d names at most, and not %d: the pipeline file can put stages into a group "+
			"(`groups`)", longestList, len(listed(word)))
	case !strings.HasPrefix(lowered(word), groupPrefix):
		return "the stages are " + stageNames(p)
	case groups == "":
		return "the pipeline file puts no stage into a group: `groups`"
	default:
		return "the groups are " + groups
	}
}

// stageNames lists the stages, for a person who has named none of them.
func stageNames(p *promotion.Pipeline) string {
	var names []string
	for _, s := range p.Stages {
		names = append(names, string(s.Name))
	}
	return strings.Join(promotion.FirstOf(names), ", ")
}

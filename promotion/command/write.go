package command

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// Write returns a command as a person types it, without the reason that they gave.
func Write(c promotion.Command) string {
	words := []string{"/" + string(c.Verb)}
	u := UsageOf(c.Verb)
	if u == nil || len(u.slots) == 0 {
		return words[0]
	}
	for _, s := range u.slots {
		words = append(words, written(c, s)...)
	}
	if c.Rest != "" {
		words = append(words, c.Rest)
	}
	if u.Verb == promotion.CmdRetry && c.Freight != "" {
		words = append(words, c.Freight)
	}
	if c.For > 0 {
		words = append(words, "--for", promotion.Brief(c.For))
	}
	if c.Early {
		words = append(words, "--when-available")
	}
	if c.Withdraw {
		words = append(words, "--withdraw")
	}
	return strings.Join(words, " ")
}

// written returns the words of one argument.
func written(c promotion.Command, s slot) []string {
	word := c.Freight
	switch s {
	case stageSlot:
		switch word = c.Place(); {
		case c.All:
			word = "--all"
		case c.Stages != "":
			word = strings.TrimSuffix(c.Stages+"/"+string(c.Target), "/")
		}
	case toFreightSlot:
		if word != "" {
			return []string{"to", word}
		}
	case verdictSlot:
		if word = "fail"; c.Pass {
			word = "pass"
		}
	case planSlot:
		word = c.Plan
	}
	if word == "" {
		return nil
	}
	return []string{word}
}

// RuleOf returns the rule that decides who may give a command in a stage; false if nobody may.
func RuleOf(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) (promotion.Rule, bool) {
	return ruleFor(p, verb, stage)
}

// Undo returns the commands that could take back what a command has done to a promotion, or to its stage, the best
// first. Whether the stage accepts them is another question.
func Undo(c promotion.Command, p *promotion.Promotion) []promotion.Command {
	about := func(verb promotion.CommandVerb) promotion.Command {
		return promotion.Command{Verb: verb, Stage: c.Stage}
	}
	back := func(verb promotion.CommandVerb) promotion.Command {
		return promotion.Command{Verb: verb, Stage: c.Stage, Stages: c.Stages, Target: c.Target, All: c.All}
	}
	switch c.Verb {
	case promotion.CmdHold:
		return []promotion.Command{back(promotion.CmdUnhold)}
	case promotion.CmdUnhold:
		again := back(promotion.CmdHold)
		again.Rest = c.Rest
		return []promotion.Command{again}
	case promotion.CmdPause:
		return []promotion.Command{about(promotion.CmdResume)}
	case promotion.CmdResume:
		return []promotion.Command{about(promotion.CmdPause)}
	case promotion.CmdApprove:
		if c.Withdraw {
			return []promotion.Command{about(promotion.CmdApprove)}
		}
		return []promotion.Command{about(promotion.CmdRollback)}
	case promotion.CmdVerdict:
		return []promotion.Command{about(promotion.CmdVerify)}
	}
	if p == nil {
		return nil
	}
	again, end := about(promotion.CmdPromote), about(promotion.CmdCancel)
	again.Freight, end.Freight = p.Freight.Name, fmt.Sprintf("p%s", p.Number)
	switch c.Verb {
	case promotion.CmdPromote, promotion.CmdRetry:
		return []promotion.Command{end, back(promotion.CmdRollback)}
	case promotion.CmdRollback:
		return []promotion.Command{end}
	case promotion.CmdCancel, promotion.CmdDeny:
		if p.Class == promotion.Rollback {
			again.Verb = promotion.CmdRollback
		}
		if len(p.Only) == 1 {
			again.Target = p.Only[0]
		}
		return []promotion.Command{again}
	case promotion.CmdSkip:
		again.Target = c.Target
		return []promotion.Command{again}
	}
	return nil
}

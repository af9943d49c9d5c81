package say

import (
	"cmp"
	"slices"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
)

// Refusal is the answer to a command that was not carried out, or had nothing to do: what was asked for, why not, and
// who may.
type Refusal struct {
	Outcome string
	Reason  promotion.Reason
	Asked   promotion.Command
	Who     string            // may do what is asked for, or what would let it be done; a sentence, or ""
	Instead promotion.Command // waits until it can be done; zero: nothing does
}

// RefusalOf answers a request that was not carried out by the policy of its pipeline.
func RefusalOf(
	r promotion.Request, outcome string, why promotion.Reason, of promotion.Policy, stage promotion.StageName,
) Refusal {
	said := Refusal{Outcome: outcome, Reason: why, Asked: r.Command}
	if promotion.Code(outcome) != promotion.Refused {
		return said
	}
	if why.Detail == promotion.MayWait {
		said.Reason.Detail, said.Instead = "", r.Command
		said.Instead.Early = true
	}
	who := func(verb promotion.CommandVerb) string {
		rule, some := command.RuleOf(of, verb, stage)
		return people(rule, some)
	}
	switch {
	case why.Code == promotion.Forbidden && why.Arg(0) != promotion.Unasked.String():
		said.Who = "Who may: " + who(r.Command.Verb)
	case why.Code == promotion.Held:
		lifts := who(promotion.CmdUnhold)
		if rule, _ := command.RuleOf(of, promotion.CmdUnhold, stage); rule.Name == "" && why.Arg(0) != "bot" {
			lifts = why.Arg(0) + ", and people with maintain permission"
		}
		said.Who = "Who may lift the hold: " + lifts
	case why.Code == promotion.Rejected:
		said.Who = "Who may lift that, by /unreject or /fixes: " + who(promotion.CmdUnreject)
	case promotes(r.Command.Verb) && slices.Contains(unavailable, why.Code):
		if rule, some := command.RuleOf(of, promotion.CmdAdmit, stage); some {
			said.Who = "Who may let it in all the same, by /admit: " + people(rule, some)
		}
	}
	return said
}

// unavailable are the reasons for which freight is not available that an admission passes.
var unavailable = []promotion.Code{
	promotion.Unverified, promotion.FailedCheck, promotion.Left, promotion.Soaking,
}

func promotes(v promotion.CommandVerb) bool {
	return v == promotion.CmdPromote || v == promotion.CmdRetry
}

// people says whom a rule lets.
func people(r promotion.Rule, some bool) string {
	if !some {
		return "nobody, because no rule of the policy file says who (add one under `may`: docs/permissions.md)"
	}
	who := "people with " + r.Permission.String() + " permission"
	if r.Permission <= promotion.NoPermission {
		who = "everybody"
	}
	if len(r.Teams) > 0 {
		who += " in the teams " + strings.Join(promotion.FirstOf(r.Teams), ", ")
	}
	if len(r.Not) > 0 {
		who += ", but not the promotion's " + strings.Join(r.Not, " or ")
	}
	return who
}

// Markdown is the answer for GitHub.
func (r Refusal) Markdown() string {
	return stopped(r.begins(markdown(r.Reason))) + r.asked(code) + r.instead(code) + around(" ", plain(r.Who), ".")
}

// Mrkdwn is the answer for Slack.
func (r Refusal) Mrkdwn() string {
	return stopped(r.begins(Mrkdwn(Sentence(r.Reason)))) + r.asked(Mrkdwn) + r.instead(Mrkdwn) +
		around(" ", Mrkdwn(r.Who), ".")
}

// Words is the answer as plain text.
func (r Refusal) Words() string {
	as := func(s string) string { return s }
	return stopped(r.begins(Sentence(r.Reason))) + r.asked(as) + r.instead(as) + around(" ", r.Who, ".")
}

func (r Refusal) begins(why string) string {
	if promotion.Code(r.Outcome) == promotion.Already {
		if r.Reason.Code == promotion.Already && r.Reason.Detail == "" {
			why = soAlready(r.Asked)
		}
		return "Nothing to do: " + cmp.Or(why, soAlready(r.Asked))
	}
	return "Refused: " + cmp.Or(why, "it is not allowed")
}

// soAlready says what a command has found as it would have it.
func soAlready(c promotion.Command) string {
	place := cmp.Or(c.Place(), "the pipeline")
	switch c.Verb {
	case promotion.CmdPromote, promotion.CmdRetry:
		return place + " has it, or it is on its way: /why " + string(c.Stage)
	case promotion.CmdUnhold:
		return "nobody holds " + around("freight of ", c.Rest, " in ") + place
	case promotion.CmdCancel:
		return "nothing waits or runs in " + place
	case promotion.CmdApprove:
		if c.Withdraw {
			return "you have not signed it off"
		}
		return "you have signed it off"
	case promotion.CmdResume:
		return "nothing is paused in " + place
	case promotion.CmdReject:
		return "it is rejected already"
	}
	return "it is so already"
}

// asked says what was asked for.
func (r Refusal) asked(show func(string) string) string {
	if r.Asked.Verb == "" {
		return ""
	}
	return " Asked for: " + show(promotion.Clip(command.Write(r.Asked), 200)) + "."
}

// instead says which command waits for what is missing.
func (r Refusal) instead(show func(string) string) string {
	if r.Instead.Verb == "" {
		return ""
	}
	return " To have it wait: " + show(promotion.Clip(command.Write(r.Instead), 200)) + "."
}

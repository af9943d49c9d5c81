package command

import (
	"slices"
	"strconv"
	"strings"

	"waybill/promotion"
)

// ruleFor returns the rule that decides who may do this in a stage, if any does.
func ruleFor(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) (promotion.Rule, bool) {
	as := verb
	if rejects(verb) {
		as = promotion.CmdVerdict // who decides whether freight is good decides that it is bad
	}
	rules, listed := p.May[as]
	if !listed {
		rules = byDefault(verb)
	}
	rule, some := first(rules, stage)
	if some && p.Narrows[as] {
		usual, any := first(byDefault(verb), stage)
		both, possible := usual.And(rule)
		return both, any && possible
	}
	return rule, some
}

// first returns the first rule that is about a stage, if any is.
func first(rules []promotion.Rule, stage promotion.StageName) (promotion.Rule, bool) {
	for _, rule := range rules {
		if covers(rule, stage) {
			return rule, true
		}
	}
	return promotion.Rule{}, false
}

// ruled reports whether the repository's policy file has rules for a verb, which take the place of the default.
func ruled(p promotion.Policy, verb promotion.CommandVerb) bool {
	_, listed := p.May[verb]
	return listed && !p.Narrows[verb]
}

// DecidedBy names the rule that decides whether a command may be given, for the audit trail.
func DecidedBy(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) string {
	switch rule, some := ruleFor(p, verb, stage); {
	case !some:
		return "none"
	case rule.Name == "":
		return "default"
	default:
		return rule.Name
	}
}

// Entitles reports whether a person with this permission and these teams may do this in a stage, apart from their part
// in its promotion. Taking a snapshot looks up the givers of its approvals by it.
func Entitles(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName, has promotion.Permission,
	teams []string) bool {
	rule, some := ruleFor(p, verb, stage)
	return some && mayNot(rule, has, teams).IsZero()
}

// TeamsFor returns the teams of which a person must be in one to do this in a stage; none: it needs no team, or nobody
// may.
func TeamsFor(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) []string {
	rule, _ := ruleFor(p, verb, stage)
	return rule.Teams
}

// MayNotAsk returns why a person with this permission and these teams may not have asked for a promotion, apart from
// their part in it; the zero reason if they may. Who may retry it may have asked for it as well, unless it is a
// rollback: that names a promotion as its cause that it has ended, too.
func MayNotAsk(p promotion.Policy, of *promotion.Promotion, has promotion.Permission, teams []string) promotion.Reason {
	rule, some := ruleFor(p, AsksFor(of), of.Stage)
	switch {
	case of.Cause != 0 && of.Class != promotion.Rollback && Entitles(p, promotion.CmdRetry, of.Stage, has, teams):
		return promotion.Reason{}
	case !some:
		return promotion.Because(promotion.Forbidden, "nobody")
	}
	return mayNot(rule, has, teams)
}

// AsksFor returns the command by which people ask for a promotion like this one.
func AsksFor(p *promotion.Promotion) promotion.CommandVerb {
	if p.Class == promotion.Rollback {
		return promotion.CmdRollback
	}
	return promotion.CmdPromote
}

// LeavesOut reports whether who plays a part in a promotion may not give a command there.
func LeavesOut(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName, part string) bool {
	rule, some := ruleFor(p, verb, stage)
	return some && slices.Contains(rule.Not, part)
}

// mayNot returns why a person may not, apart from their part in the promotion; the zero reason if they may.
func mayNot(r promotion.Rule, has promotion.Permission, teams []string) promotion.Reason {
	switch {
	case has == promotion.Unasked:
		return promotion.Because(promotion.Forbidden, promotion.Unasked.String()) // not to know is no (T13)
	case has < r.Permission:
		return promotion.Because(promotion.Forbidden, r.Permission.String())
	case !hasTeam(r, teams):
		return promotion.Because(promotion.Forbidden, r.Teams...)
	}
	return promotion.Reason{}
}

// Forbids returns why the person who makes a request may not have it from the stage; the zero reason if they may. To
// stop the whole pipeline it is enough to have the right in one stage, and so it is to lift that again. To lift what
// somebody else holds it must be in all. To ask about several stages one is enough: the answer leaves out those that
// the person may not ask about.
func Forbids(s *promotion.Snapshot, r promotion.Request) promotion.Reason {
	if r.Command.Stage != "" || len(s.Pipeline.Stages) == 0 {
		return forbidsIn(s, s.Stage.Name, r)
	}
	var why promotion.Reason
	anyDoes := r.Command.Verb == promotion.CmdHold || r.Command.Stages != "" || liftsOwn(s, r)
	for _, stage := range About(s.Pipeline, r.Command) {
		why = forbidsIn(s, stage.Name, r)
		if why.IsZero() == anyDoes {
			break
		}
	}
	return why
}

// liftsOwn reports whether a request lifts holds of the whole pipeline that are all of the person who makes it.
func liftsOwn(s *promotion.Snapshot, r promotion.Request) bool {
	own := false
	for i := range s.Holds {
		h := &s.Holds[i]
		if h.Stage != "" || !h.Stands(r.At) {
			continue
		}
		if !h.By.Is(r.By) {
			return false
		}
		own = true
	}
	return own && r.Command.Verb == promotion.CmdUnhold
}

// forbidsIn is Forbids with the rule that decides in one stage.
func forbidsIn(s *promotion.Snapshot, stage promotion.StageName, r promotion.Request) promotion.Reason {
	rule, some := ruleFor(s.Pipeline.Policy, r.Command.Verb, stage)
	if !some {
		return promotion.Because(promotion.Forbidden, "nobody")
	}
	if why := mayNot(rule, r.Permission, r.Teams); !why.IsZero() {
		return why
	}
	for _, not := range rule.Not {
		if why := shutsOut(s, not, r); !why.IsZero() {
			return why
		}
	}
	return promotion.Reason{}
}

// LeavesOutAuthor reports whether a command is for nobody who has made the freight that it is about. One to all stages
// is so if it is so in any of them.
func LeavesOutAuthor(p *promotion.Pipeline, c promotion.Command) bool {
	return slices.ContainsFunc(p.Stages, func(stage *promotion.Stage) bool {
		rule, some := ruleFor(p.Policy, c.Verb, stage.Name)
		return some && slices.Contains(rule.Not, "author") && (c.Stage == stage.Name || c.Stage == "")
	})
}

// unknownTo returns why it is not known whether a person is who a rule leaves out; the zero reason if that is known.
// Who has made what a request brings must be known before anybody can be told from them (T15).
func unknownTo(s *promotion.Snapshot, r promotion.Request) promotion.Reason {
	if !LeavesOutAuthor(s.Pipeline, r.Command) {
		return promotion.Reason{}
	}
	brought, more := Brought(s, r)
	if more {
		return promotion.Because(promotion.Forbidden, "more", strconv.Itoa(promotion.MostAlong))
	}
	for i, f := range brought {
		if h, unknown := f.Unknown(); unknown {
			args := append([]string{"unknown", string(h.Part)}, alongAs(f, i)...)
			return promotion.Because(promotion.Forbidden, args...).With(h.Text)
		}
	}
	return promotion.Reason{}
}

// MayLift reports whether a person who may unhold may lift this hold: the bot's always, but of one stage at a time; a
// person's as its owner, or with permission to maintain the repository, unless the policy file has a rule of its own.
func MayLift(p promotion.Policy, h *promotion.Hold, r promotion.Request) bool {
	if h.By.Bot() {
		return r.Command.Stages == ""
	}
	return h.By.Is(r.By) || ruled(p, promotion.CmdUnhold) || r.Permission >= promotion.Maintain
}

// MaySignOff reports whether to ask a person with these rights for a sign-off of a promotion: it is open, lacks the
// sign-off of this person, and they may give it.
func MaySignOff(s *promotion.Snapshot, n promotion.Number, who promotion.Actor, has promotion.Permission,
	teams []string, lacks func(*promotion.Promotion, promotion.Actor) bool) bool {
	p := s.Active()
	if p == nil || p.Number != n || p.State != promotion.WaitingForMerge || !lacks(p, who) {
		return false
	}
	signs := promotion.Request{Command: promotion.Command{Verb: promotion.CmdApprove, Stage: p.Stage}, By: who,
		Permission: has, Teams: teams}
	return forbidsIn(s, p.Stage, signs).IsZero()
}

func covers(r promotion.Rule, s promotion.StageName) bool {
	for _, pattern := range r.Stages {
		if promotion.Match(pattern, string(s)) {
			return true
		}
	}
	return len(r.Stages) == 0
}

func hasTeam(r promotion.Rule, teams []string) bool {
	for _, t := range r.Teams {
		if slices.ContainsFunc(teams, func(has string) bool { return strings.EqualFold(has, t) }) {
			return true
		}
	}
	return len(r.Teams) == 0
}

// byDefault returns the rules where the policy file says nothing (docs/permissions.md). Unhold asks for write here and
// for the owner or a maintainer in MayLift.
func byDefault(v promotion.CommandVerb) []promotion.Rule {
	if u := UsageOf(v); u != nil {
		return u.Default
	}
	return nil
}

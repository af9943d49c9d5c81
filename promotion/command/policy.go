package command

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// Rule returns the rule that decides who may do this in a stage, if any does.
func Rule(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) (promotion.Rule, bool) {
	rules, listed := p.May[verb]
	if !listed {
		rules = byDefault(verb)
	}
	for _, rule := range rules {
		if covers(rule, stage) {
			return rule, true
		}
	}
	return promotion.Rule{}, false
}

// DecidedBy names the rule that decides whether a command may be given, for the audit trail.
func DecidedBy(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName) string {
	switch rule, some := Rule(p, verb, stage); {
	case !some:
		return "none"
	case rule.Name == "":
		return "default"
	default:
		return rule.Name
	}
}

// Entitles reports whether somebody with this permission and these teams may do this in a stage, whatever part they
// play in its promotion. Whoever takes a snapshot looks the givers of its approvals up with it.
func Entitles(p promotion.Policy, verb promotion.CommandVerb, stage promotion.StageName, has promotion.Permission,
	teams []string) bool {
	rule, some := Rule(p, verb, stage)
	return some && MayNot(rule, has, teams).IsZero()
}

// MayNot returns why somebody may not, whatever part they play; the zero reason if they may.
func MayNot(r promotion.Rule, has promotion.Permission, teams []string) promotion.Reason {
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
// for the owner or a maintainer in obeyUnhold.
func byDefault(v promotion.CommandVerb) []promotion.Rule {
	if u := UsageOf(v); u != nil {
		return u.Default
	}
	return nil
}

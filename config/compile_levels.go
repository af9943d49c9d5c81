package config

import (
	"slices"

	"waybill/promotion"
)

// This file puts the server's policy above the repository's. Each level only narrows: where both have a rule, both must
// allow; a rule of the repository alone takes the place of the default; one of the server alone narrows the default.

// under returns the statement that is in force when u stands under another one.
func (p policies) under(u, above statement) statement {
	both := statement{
		narrows:   u.narrows || above.narrows,
		automatic: make(map[promotion.StageName]bool),
		may:       make(map[promotion.CommandVerb][]promotion.Rule),
		narrow:    make(map[promotion.CommandVerb]bool),
	}
	for _, s := range p.stages {
		both.automatic[s.Name] = u.automatic[s.Name] && (above.automatic[s.Name] || !above.narrows)
	}
	for _, role := range roles {
		ours, listed := u.may[role.verb]
		theirs, listedAbove := above.may[role.verb]
		switch {
		case listed && listedAbove:
			both.may[role.verb] = p.rulesUnder(ours, theirs)
		case listed:
			both.may[role.verb] = ours
		case listedAbove:
			both.may[role.verb] = theirs
			both.narrow[role.verb] = true
		}
	}
	return both
}

// rulesUnder returns a rule for each stage that both lists have one for.
func (p policies) rulesUnder(ours, theirs []promotion.Rule) []promotion.Rule {
	rules := []promotion.Rule{}
	if p.allowance.spent {
		return rules // the patterns are too many to be compared
	}
	for _, s := range p.stages {
		a, b := deciding(ours, s.Name), deciding(theirs, s.Name)
		if a == nil || b == nil {
			continue
		}
		if rule, possible := a.And(*b); possible {
			rule.Stages = []string{string(s.Name)}
			rules = append(rules, rule)
		}
	}
	return rules
}

// deciding returns the first rule that is about a stage.
func deciding(rules []promotion.Rule, stage promotion.StageName) *promotion.Rule {
	i := slices.IndexFunc(rules, func(r promotion.Rule) bool {
		about := func(pattern string) bool { return promotion.Match(pattern, string(stage)) }
		return len(r.Stages) == 0 || slices.ContainsFunc(r.Stages, about)
	})
	if i < 0 {
		return nil
	}
	return &rules[i]
}

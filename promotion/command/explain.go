package command

import "waybill/promotion"

// Explain rules on every command for a person with this permission and these teams, apart from their part in a
// promotion.
func Explain(p promotion.Policy, stage promotion.StageName, has promotion.Permission,
	teams []string) (all []promotion.Right) {
	for _, u := range Commands {
		r := promotion.Right{Verb: u.Verb, Rule: DecidedBy(p, u.Verb, stage),
			Why: promotion.Because(promotion.Forbidden, "nobody")}
		if rule, some := ruleFor(p, u.Verb, stage); some {
			r.Why, r.Not = mayNot(rule, has, teams), rule.Not
		}
		r.Own = u.Verb == promotion.CmdUnhold && r.Why.IsZero() && !ruled(p, u.Verb) && has < promotion.Maintain
		all = append(all, r)
	}
	return all
}

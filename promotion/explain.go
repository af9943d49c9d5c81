package promotion

// Right says whether somebody may give a command in a stage, and by which rule.
type Right struct {
	Verb CommandVerb
	Rule string   // where the rule stands: ".github/waybill.policy.yml:7"; "default"; or "none", and nobody may
	Why  Reason   // why they may not; the zero reason if they may
	Not  []string // who is left out even so, by the part they play in the promotion: "author", "requester", "last-pusher"
	Own  bool     // they may lift their own holds and those of Waybill, and nobody else's
}

// Explain rules on every command for somebody with this permission and these teams, whatever part they play in a
// promotion.
func (p Policy) Explain(stage StageName, has Permission, teams []string) (all []Right) {
	for _, u := range Commands {
		r := Right{Verb: u.Verb, Rule: p.decidedBy(u.Verb, stage), Why: Because(Forbidden, "nobody")}
		if rule, some := p.rule(u.Verb, stage); some {
			r.Why, r.Not = rule.mayNot(has, teams), rule.Not
		}
		_, listed := p.May[u.Verb]
		r.Own = u.Verb == CmdUnhold && r.Why.IsZero() && !listed && has < Maintain
		all = append(all, r)
	}
	return all
}

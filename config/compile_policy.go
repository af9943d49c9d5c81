package config

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

// statement is the content of one policy file about automation and people.
type statement struct {
	narrows   bool // the file says which stages promote by themselves
	automatic map[promotion.StageName]bool
	may       map[promotion.CommandVerb][]promotion.Rule
	narrow    map[promotion.CommandVerb]bool // these rules narrow the defaults
}

// policies compiles policy files for the stages of a pipeline.
type policies struct {
	stages    []*promotion.Stage
	allowance *allowance // nil: there are no stages
}

// rule compiles a policy file. Without stages it is only judged.
func (p policies) rule(f policyFile, r *reader) statement {
	u := statement{
		narrows:   f.automatic.given(),
		automatic: make(map[promotion.StageName]bool),
	}
	for i, pattern := range f.automatic.value {
		for _, s := range p.covered(r.key("automatic").element(i), pattern) {
			u.automatic[s.Name] = true
		}
	}
	for _, role := range roles {
		rules := f.may.value.rules[role.name]
		if rules == nil {
			continue
		}
		if u.may == nil {
			u.may = make(map[promotion.CommandVerb][]promotion.Rule)
		}
		u.may[role.verb] = p.rules(r.key("may").key(role.name), rules.value, role.not)
	}
	return u
}

// obey puts a ruling into the pipeline.
func obey(p *promotion.Pipeline, u statement) {
	for _, s := range p.Stages {
		s.Policy.Automatic = u.automatic[s.Name] && !s.Strategy.External
	}
	p.Policy.May, p.Policy.Narrows = u.may, u.narrow
}

// covered returns the stages that a pattern means, none if the budget is spent. It warns if there are none, except in
// the server's file, which is for many pipelines.
func (p policies) covered(r *reader, pattern found[string]) []*promotion.Stage {
	if !pattern.good() || len(p.stages) == 0 {
		return nil
	}
	if !p.allowance.pay(r, pattern.at, Budget{Steps: len(p.stages) * stepsOf(pattern.value)}) {
		return nil
	}
	var some []*promotion.Stage
	for _, s := range p.stages {
		if promotion.Match(pattern.value, string(s.Name)) {
			some = append(some, s)
		}
	}
	if len(some) == 0 && !r.elsewhere {
		var names []string
		for _, s := range p.stages {
			names = append(names, string(s.Name))
		}
		r.warnf(pattern.at, "%s is no stage of the pipeline%s", quote(pattern.value), r.didYouMean(pattern.value, names))
	}
	return some
}

// rules compiles the rules of a role. An empty list is kept: nobody may. A rule without `not` leaves out whom the role
// leaves out.
func (p policies) rules(r *reader, from []found[ruleFile], not []string) []promotion.Rule {
	rules := []promotion.Rule{}
	var everywhere pos
	for i, f := range from {
		if everywhere.line > 0 {
			r.element(i).warnf(f.at, "this rule never decides: the one at %d:%d is for all stages; put it last", everywhere.line,
				everywhere.col)
		}
		permission, _ := promotion.ParsePermission(f.value.permission.or("read"))
		rule := promotion.Rule{
			Name:       fmt.Sprintf("%s:%d", r.report.file, f.at.line),
			Stages:     texts(f.value.stages.value),
			Permission: permission,
			Teams:      texts(f.value.teams.value),
			Not:        not,
		}
		if f.value.not.given() {
			rule.Not = texts(f.value.not.value)
		}
		for j, pattern := range f.value.stages.value {
			p.covered(r.element(i).key("stages").element(j), pattern)
		}
		if f.good() && len(rule.Stages) == 0 || slices.Contains(rule.Stages, "*") {
			everywhere = f.at
		}
		rules = append(rules, rule)
	}
	return rules
}

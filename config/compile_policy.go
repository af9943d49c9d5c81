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

// rule compiles a policy file. Without a pipeline it is only judged.
func (c *compiler) rule(f policyFile, r *reader) statement {
	u := statement{
		narrows:   f.automatic.given(),
		automatic: make(map[promotion.StageName]bool),
	}
	for i, pattern := range f.automatic.value {
		for _, s := range c.covered(r.key("automatic").element(i), pattern) {
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
		u.may[role.verb] = c.rules(r.key("may").key(role.name), rules.value, role.not)
	}
	return u
}

// obey puts a ruling into the pipeline.
func (c *compiler) obey(u statement) {
	for _, s := range c.pipeline.Stages {
		s.Policy.Automatic = u.automatic[s.Name] && !s.Strategy.External
	}
	c.pipeline.Policy.May, c.pipeline.Policy.Narrows = u.may, u.narrow
}

// covered returns the stages that a pattern means, none if the budget is spent. It warns if there are none, except in
// the server's file, which is for many pipelines.
func (c *compiler) covered(r *reader, pattern found[string]) []*promotion.Stage {
	if !pattern.good() || c.pipeline == nil {
		return nil
	}
	if !c.allowance.pay(r, pattern.at, Budget{Steps: len(c.pipeline.Stages) * stepsOf(pattern.value)}) {
		return nil
	}
	var some []*promotion.Stage
	for _, s := range c.pipeline.Stages {
		if promotion.Match(pattern.value, string(s.Name)) {
			some = append(some, s)
		}
	}
	if len(some) == 0 && len(c.pipeline.Stages) > 0 && !r.elsewhere {
		remedy := ""
		if !r.report.full() {
			remedy = r.didYouMean(pattern.value, named(c.file.stages.value))
		}
		r.warnf(pattern.at, "%s is no stage of the pipeline%s", quote(pattern.value), remedy)
	}
	return some
}

// rules compiles the rules of a role. An empty list is kept: nobody may. A rule without `not` leaves out whom the role
// leaves out.
func (c *compiler) rules(r *reader, from []found[ruleFile], not []string) []promotion.Rule {
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
			Stages:     values(f.value.stages),
			Permission: permission,
			Teams:      values(f.value.teams),
			Not:        not,
		}
		if f.value.not.given() {
			rule.Not = values(f.value.not)
		}
		for j, pattern := range f.value.stages.value {
			c.covered(r.element(i).key("stages").element(j), pattern)
		}
		if f.good() && len(rule.Stages) == 0 || slices.Contains(rule.Stages, "*") {
			everywhere = f.at
		}
		rules = append(rules, rule)
	}
	return rules
}

func values(list found[[]found[string]]) []string {
	var words []string
	for _, w := range list.value {
		words = append(words, w.value)
	}
	return words
}

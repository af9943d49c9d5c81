package config

import (
	"slices"

	"waybill/promotion"
)

// applyPolicy lets the policy file have its say about the pipeline. Without a pipeline it is only judged.
func (c *compiler) applyPolicy(f policyFile, r *reader) {
	var policy promotion.Policy
	for _, role := range roles {
		rules := f.may.value.rules[role.name]
		if rules == nil {
			continue
		}
		if policy.May == nil {
			policy.May = make(map[promotion.CommandVerb][]promotion.Rule)
		}
		policy.May[role.verb] = c.rules(r.key("may").key(role.name), rules.value)
	}
	for i, pattern := range f.automatic.value {
		for _, s := range c.covered(r.key("automatic").element(i), pattern) {
			s.Automatic = true
		}
	}
	for _, floor := range f.stages.value {
		name := found[string]{value: floor.name, key: floor.key, at: floor.key, bad: floor.bad}
		for _, s := range c.covered(r.key("stages"), name) {
			if floor.value.merge.or(promotion.MergeAuto) == promotion.MergeManual {
				s.Merge = promotion.MergeManual
			}
		}
	}
	if c.pipeline != nil {
		c.pipeline.Policy = policy
	}
}

// covered returns the stages that a pattern means, and warns if there are none.
func (c *compiler) covered(r *reader, pattern found[string]) []*promotion.Stage {
	if !pattern.good() || c.pipeline == nil {
		return nil
	}
	var some []*promotion.Stage
	for _, s := range c.pipeline.Stages {
		if promotion.Match(pattern.value, string(s.Name)) {
			some = append(some, s)
		}
	}
	if len(some) == 0 && len(c.pipeline.Stages) > 0 {
		r.warnf(pattern.at, "%s is no stage of the pipeline%s", quote(pattern.value), r.didYouMean(pattern.value, named(c.file.stages.value)))
	}
	return some
}

// rules compiles the rules of a role. An empty list is kept: nobody may.
func (c *compiler) rules(r *reader, from []found[ruleFile]) []promotion.Rule {
	rules := []promotion.Rule{}
	var everywhere pos
	for i, f := range from {
		if everywhere.line > 0 {
			r.element(i).warnf(f.at, "this rule never decides: the one at %d:%d is for all stages; put it last", everywhere.line, everywhere.col)
		}
		permission, _ := promotion.ParsePermission(f.value.permission.or("read"))
		rule := promotion.Rule{
			Stages:     values(f.value.stages),
			Permission: permission,
			Teams:      values(f.value.teams),
			Not:        values(f.value.not),
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

package rules

import (
	"slices"

	"waybill/promotion"
)

// Methods returns which of some ways to merge the rules of a branch allow, in the same order.
func Methods(settings []string, r promotion.BranchRules) (all []string) {
	for _, method := range settings {
		if !slices.ContainsFunc(r.Rules, func(one promotion.BranchRule) bool { return forbids(&one, method) }) {
			all = append(all, method)
		}
	}
	return all
}

// forbids reports whether a rule forbids a way to merge. A merge queue has its own.
func forbids(r *promotion.BranchRule, method string) bool {
	if !r.Binds(true) {
		return false
	}
	switch r.Kind {
	case promotion.RulePulls:
		return len(r.Methods) > 0 && !slices.Contains(r.Methods, method)
	case promotion.RuleLinear:
		return method == "merge"
	case promotion.RuleSigned:
		return method == "rebase"
	}
	return false
}

// Method returns how the pull requests of a stage are merged, of the ways that are allowed; empty if none is known.
// What the pipeline file says is tried, allowed or not: GitHub has the last word.
func Method(s *promotion.Stage, allowed []string) string {
	switch {
	case s.Merge.Method != "":
		return s.Merge.Method
	case s.Whole() && slices.Contains(allowed, "merge"):
		return "merge"
	case len(allowed) > 0:
		return allowed[0]
	}
	return ""
}

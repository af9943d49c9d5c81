package rest

import (
	"maps"
	"slices"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

// listRules lists the rules of the ruleset of a branch, which need not exist. Who may bypass them is not said.
func listRules(c *call) (reply, error) {
	branch := c.params["branch"]
	rules := rulesJSON(c.repo.Protections[branch])
	for _, rule := range rules {
		maps.Copy(rule, obj{
			"ruleset_source_type": "Repository", "ruleset_source": c.repo.FullName(), "ruleset_id": c.repo.RulesetID(branch),
		})
	}
	return list(c, rules, func(rule obj) any { return rule }), nil
}

// showRuleset shows a ruleset, and whether whoever asks may bypass it.
func showRuleset(c *call) (reply, error) {
	id, err := c.id("ruleset_id")
	if err != nil {
		return reply{}, err
	}
	for branch, protection := range c.repo.Protections {
		if c.repo.RulesetID(branch) != id || protection.Classic {
			continue
		}
		bypass := "never"
		if protection.Passes(c.who.Account) {
			bypass = "always"
		}
		return ok(obj{
			"id": id, "name": "Rules of " + branch, "target": "branch", "source_type": "Repository",
			"source": c.repo.FullName(), "enforcement": "active", "current_user_can_bypass": bypass,
			"conditions": obj{"ref_name": obj{"include": []string{"refs/heads/" + branch}, "exclude": []string{}}},
			"rules":      render.List(rulesJSON(protection), func(rule obj) any { return rule }),
		}), nil
	}
	return reply{}, hub.NotFound()
}

// rulesJSON returns a protection as rules of a ruleset: none if it is classic.
func rulesJSON(p hub.Protection) []obj {
	rules := []obj{}
	rule := func(has bool, kind string, parameters obj) {
		one := obj{"type": kind}
		if parameters != nil {
			one["parameters"] = parameters
		}
		if has && !p.Classic {
			rules = append(rules, one)
		}
	}
	rule(p.Creation, "creation", nil)
	rule(p.Update, "update", obj{"update_allows_fetch_and_merge": false})
	rule(p.Deletion, "deletion", nil)
	rule(p.NonFastForward, "non_fast_forward", nil)
	rule(p.Linear, "required_linear_history", nil)
	rule(p.Signatures, "required_signatures", nil)
	rule(len(p.RequiredChecks) > 0, "required_status_checks", obj{
		"required_status_checks": render.List(p.RequiredChecks, func(name string) any {
			one := obj{"context": name}
			if p.CheckApp != 0 {
				one["integration_id"] = p.CheckApp
			}
			return one
		}),
		"strict_required_status_checks_policy": p.UpToDate,
	})
	rule(p.ReviewsPulls(), "pull_request", pullRuleJSON(p))
	rule(p.MergeQueue, "merge_queue", obj{
		"check_response_timeout_minutes": 60, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5,
		"max_entries_to_merge": 5, "merge_method": "SQUASH", "min_entries_to_merge": 1,
		"min_entries_to_merge_wait_minutes": 5,
	})
	return rules
}

func pullRuleJSON(p hub.Protection) obj {
	methods := p.Methods
	if len(methods) == 0 {
		methods = []string{"merge", "squash", "rebase"}
	}
	return obj{
		"allowed_merge_methods": slices.Clone(methods), "dismiss_stale_reviews_on_push": p.DismissStale,
		"require_code_owner_review": len(p.Owners) > 0, "require_last_push_approval": p.LastPush,
		"required_approving_review_count": p.RequiredReviews, "required_review_thread_resolution": false,
	}
}

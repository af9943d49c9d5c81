package rest

import (
	"net/http"
	"strings"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func branchRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/branches", listBranches)
	t.with("administration:read", "GET /repos/{owner}/{repo}/branches/{branch}/protection", showProtection)
	t.with("administration:read", "GET /repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks",
		showRequiredChecks)
	t.with("contents:read", "GET /repos/{owner}/{repo}/branches/{branch}", showBranch)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/rules/branches/{branch}", listRules)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/rulesets/{ruleset_id}", showRuleset)
	t.with("contents:read", "GET /repos/{owner}/{repo}/commits/{commit_sha}/branches-where-head", listHeadBranches)
}

func listBranches(c *call) (reply, error) {
	var names []string
	for _, ref := range c.repo.Seen().Refs("refs/heads/") {
		name := strings.TrimPrefix(ref, "refs/heads/")
		_, protected := c.repo.Protections[name]
		if want := c.query("protected", ""); want == "" || (want == "true") == protected {
			names = append(names, name)
		}
	}
	return list(c, names, func(name string) any { return c.Render.ShortBranch(c.repo, name) }), nil
}

func (c *call) branch() (string, error) {
	name := c.params["branch"]
	if _, found := c.repo.Seen().Branch(name); !found {
		return "", hub.Refuse(http.StatusNotFound, "Branch not found")
	}
	return name, nil
}

func showBranch(c *call) (reply, error) {
	name, err := c.branch()
	if err != nil {
		return reply{}, err
	}
	sha, _ := c.repo.Seen().Branch(name)
	j := c.Render.ShortBranch(c.repo, name)
	self := c.Render.API(c.repo, "/branches/"+name)
	j["commit"] = c.Render.Commit(c.repo, sha, false)
	j["_links"] = obj{"self": self, "html": c.Render.HTML(c.repo, "/tree/"+name)}
	j["protection_url"] = self + "/protection"
	required := c.repo.Protections[name].RequiredChecks
	j["protection"] = obj{
		"enabled": j["protected"],
		"required_status_checks": obj{
			"enforcement_level": "non_admins", "contexts": append([]string{}, required...), "checks": checksJSON(required),
		},
	}
	return ok(j), nil
}

func checksJSON(names []string) []any {
	return render.List(names, func(name string) any { return obj{"context": name, "app_id": nil} })
}

func (c *call) protection() (hub.Protection, error) {
	name, err := c.branch()
	if err != nil {
		return hub.Protection{}, err
	}
	protection, found := c.repo.Protections[name]
	if !found {
		return hub.Protection{}, hub.Refuse(http.StatusNotFound, "Branch not protected")
	}
	return protection, nil
}

func showProtection(c *call) (reply, error) {
	protection, err := c.protection()
	if err != nil {
		return reply{}, err
	}
	self := c.Render.API(c.repo, "/branches/"+c.params["branch"]+"/protection")
	j := obj{"url": self, "enforce_admins": obj{"url": self + "/enforce_admins", "enabled": true}}
	if len(protection.RequiredChecks) > 0 || protection.UpToDate {
		j["required_status_checks"] = c.requiredChecksJSON(protection)
	}
	if protection.RequiredReviews > 0 {
		j["required_pull_request_reviews"] = obj{
			"url": self + "/required_pull_request_reviews", "dismiss_stale_reviews": protection.DismissStale,
			"require_code_owner_reviews": false, "required_approving_review_count": protection.RequiredReviews,
		}
	}
	return ok(j), nil
}

func (c *call) requiredChecksJSON(protection hub.Protection) obj {
	self := c.Render.API(c.repo, "/branches/"+c.params["branch"]+"/protection/required_status_checks")
	return obj{
		"url": self, "strict": protection.UpToDate, "contexts": append([]string{}, protection.RequiredChecks...),
		"checks": checksJSON(protection.RequiredChecks), "contexts_url": self + "/contexts",
	}
}

func showRequiredChecks(c *call) (reply, error) {
	protection, err := c.protection()
	if err != nil {
		return reply{}, err
	}
	if len(protection.RequiredChecks) == 0 {
		return reply{}, hub.Refuse(http.StatusNotFound, "Required status checks not enabled")
	}
	return ok(c.requiredChecksJSON(protection)), nil
}

func listHeadBranches(c *call) (reply, error) {
	var names []string
	for _, ref := range c.repo.Seen().Refs("refs/heads/") {
		if sha, _ := c.repo.Seen().Ref(ref); sha == c.params["commit_sha"] {
			names = append(names, strings.TrimPrefix(ref, "refs/heads/"))
		}
	}
	return list(c, names, func(name string) any { return c.Render.ShortBranch(c.repo, name) }), nil
}

package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

const (
	// branchesPerQuery is how many branches one document asks about.
	branchesPerQuery = 20
	// mostRulesets is of how many rulesets GitHub is asked whether the App may bypass them.
	mostRulesets = 20
)

// Of reads what GitHub demands of those who change branches: one request for the repository's settings and the classic
// protection of all, one for the rules of each branch, and one for each ruleset that these come from. It needs no
// permission that Waybill does not have. What GitHub refuses to show is no error: it is unknown.
func (ru Rules) Of(ctx context.Context, branches []string) ([]promotion.BranchRules, error) {
	all := make([]promotion.BranchRules, len(branches))
	for i, name := range branches {
		all[i] = promotion.BranchRules{On: promotion.Branch{Repo: ru.c.repo, Name: name}, Read: ru.c.hub.config.Clock()}
	}
	err := inPortions(ctx, ru.c, "Rules", branchesPerQuery, byIndex(all), func(some []*promotion.BranchRules) error {
		return ru.readProtection(ctx, some)
	})
	if err != nil {
		return nil, ru.c.wrong(err, "read the protection of branches")
	}
	bypasses := map[int64]promotion.Bypass{}
	for i := range all {
		if err := ru.readRules(ctx, &all[i], bypasses); err != nil {
			return nil, ru.c.wrong(err, "read the rules of %s", all[i].On.Name)
		}
	}
	return all, nil
}

// unsigned is GitHub's reason for calling a commit unverified that nobody has signed. Others are about signatures that
// it cannot verify, or not now.
const unsigned = "unsigned"

// noteSignature notes whether GitHub has signed a commit that we had it make.
func (h *Hub) noteSignature(v *github.SignatureVerification) {
	if signed := v.GetVerified(); signed || v.GetReason() == unsigned {
		h.signs.Store(&signed)
	}
}

// Signs reports whether GitHub has signed the last commit that the process had it make. It is not known before that.
func (h *Hub) Signs() (signs, known bool) {
	s := h.signs.Load()
	return s != nil && *s, s != nil
}

func byIndex(all []promotion.BranchRules) (some []*promotion.BranchRules) {
	for i := range all {
		some = append(some, &all[i])
	}
	return some
}

// isUnknown reports whether an error is a no to this question alone.
func isUnknown(err error) bool { return errors.Is(err, ErrRefused) && !errors.Is(err, ErrNoAccess) }

// updateRule is the classic protection of a branch, as GitHub shows it without the permission to administer.
type updateRule struct {
	Reviews    *int     `json:"requiredApprovingReviewCount"`
	Checks     []string `json:"requiredStatusCheckContexts"`
	CodeOwners bool     `json:"requiresCodeOwnerReviews"`
	Threads    bool     `json:"requiresConversationResolution"`
	Linear     bool     `json:"requiresLinearHistory"`
	Signatures bool     `json:"requiresSignatures"`
	CanPush    bool     `json:"viewerCanPush"`
}

const updateRuleFields = `
fragment protection on Ref { refUpdateRule { requiredApprovingReviewCount requiredStatusCheckContexts
	requiresCodeOwnerReviews requiresConversationResolution requiresLinearHistory requiresSignatures viewerCanPush } }`

// readProtection reads the repository's settings and the classic protection of branches.
func (ru Rules) readProtection(ctx context.Context, some []*promotion.BranchRules) error {
	variables := map[string]any{"owner": ru.c.owner, "name": ru.c.name}
	refs := ""
	for i, r := range some {
		variables[fmt.Sprintf("b%d", i)] = "refs/heads/" + r.On.Name
		refs += fmt.Sprintf(" b%d: ref(qualifiedName: $b%d) { ...protection }", i, i)
	}
	document := header("Rules", variables) + "{ repository(owner: $owner, name: $name) { nameWithOwner " +
		"squashMergeAllowed mergeCommitAllowed rebaseMergeAllowed } protected: repository(owner: $owner, name: $name) {" +
		refs + " } }" + updateRuleFields
	var answer struct {
		Repository *struct {
			NameWithOwner string `json:"nameWithOwner"`
			Squash        bool   `json:"squashMergeAllowed"`
			Merge         bool   `json:"mergeCommitAllowed"`
			Rebase        bool   `json:"rebaseMergeAllowed"`
		} `json:"repository"`
		Protected map[string]*struct {
			Rule *updateRule `json:"refUpdateRule"`
		} `json:"protected"`
	}
	err := ru.c.graph.ask(ctx, document, variables, &answer)
	switch {
	case err != nil && !isUnknown(err):
		return err
	case err == nil && answer.Repository == nil:
		return noAccess("GitHub shows no such repository", nil)
	case err == nil && answer.Repository.NameWithOwner != string(ru.c.repo):
		return ru.c.misnamed(answer.Repository.NameWithOwner)
	}
	for i, r := range some {
		if s := answer.Repository; s != nil {
			r.Settings = allowedMethods(s.Squash, s.Merge, s.Rebase)
		}
		if ref := answer.Protected[fmt.Sprintf("b%d", i)]; ref != nil && ref.Rule != nil {
			r.Rules = ref.Rule.rules()
		}
	}
	return nil
}

// rules returns classic protection as rules.
func (u *updateRule) rules() (all []promotion.BranchRule) {
	add := func(has bool, r promotion.BranchRule) {
		if r.From, r.Classic = "the branch protection", true; has {
			all = append(all, r)
		}
	}
	checks := promotion.BranchRule{Kind: promotion.RuleChecks}
	for _, name := range u.Checks {
		checks.Checks = append(checks.Checks, promotion.RequiredCheck{Name: name})
	}
	reviews := promotion.BranchRule{Kind: promotion.RulePulls, CodeOwners: u.CodeOwners}
	if u.Reviews != nil {
		reviews.Approvals = *u.Reviews
	}
	add(len(u.Checks) > 0, checks)
	add(u.Reviews != nil || u.CodeOwners, reviews)
	add(u.Linear, promotion.BranchRule{Kind: promotion.RuleLinear})
	add(u.Signatures, promotion.BranchRule{Kind: promotion.RuleSigned})
	add(u.Threads, promotion.BranchRule{Kind: promotion.RuleThreads, Threads: true})
	add(!u.CanPush, promotion.BranchRule{Kind: promotion.RuleUpdate})
	return all
}

// aRule is a rule as GitHub lists it. GitHub has more parameters.
type aRule struct {
	Type       promotion.RuleKind `json:"type"`
	Source     string             `json:"ruleset_source"`
	ID         int64              `json:"ruleset_id"`
	Parameters struct {
		Checks []struct {
			Context string `json:"context"`
			App     int64  `json:"integration_id"`
		} `json:"required_status_checks"`
		Strict       bool     `json:"strict_required_status_checks_policy"`
		Approvals    int      `json:"required_approving_review_count"`
		CodeOwners   bool     `json:"require_code_owner_review"`
		LastPush     bool     `json:"require_last_push_approval"`
		Threads      bool     `json:"required_review_thread_resolution"`
		Methods      []string `json:"allowed_merge_methods"`
		QueueMethod  string   `json:"merge_method"`
		Environments []string `json:"required_deployment_environments"`
		Workflows    []struct {
			Path string `json:"path"`
		} `json:"workflows"`
	} `json:"parameters"`
}

// noRulesets is in GitHub's words where the plan of an owner has no rulesets: then there are no rules.
const noRulesets = "to enable this feature"

// readRules reads the rules of a branch, which need not exist.
func (ru Rules) readRules(
	ctx context.Context, r *promotion.BranchRules, bypasses map[int64]promotion.Bypass,
) error {
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		var some []aRule
		response, err := ru.get(ctx, fmt.Sprintf("rules/branches/%s?per_page=%d&page=%d", url.PathEscape(r.On.Name),
			page.PerPage, page.Page), &some)
		if err != nil {
			return nil, err
		}
		for i := range some {
			rule := some[i].rule()
			if rule.Bypass, err = ru.bypass(ctx, some[i].ID, bypasses); err != nil {
				return nil, err
			}
			r.Rules = append(r.Rules, rule)
		}
		return response, nil
	})
	switch text := Explain(err).Detail; {
	case err == nil, isUnknown(err) && strings.Contains(text, noRulesets):
		return nil
	case isUnknown(err):
		r.Unknown = text
		return nil
	}
	return err
}

// rule returns a rule in our words.
func (a *aRule) rule() promotion.BranchRule {
	p := a.Parameters
	r := promotion.BranchRule{
		Kind: a.Type, From: fmt.Sprintf("ruleset %d of %s", a.ID, a.Source), UpToDate: p.Strict, Approvals: p.Approvals,
		CodeOwners: p.CodeOwners, LastPush: p.LastPush, Threads: p.Threads, Methods: p.Methods, Names: p.Environments,
	}
	if p.QueueMethod != "" {
		r.Methods = []string{strings.ToLower(p.QueueMethod)}
	}
	for _, check := range p.Checks {
		r.Checks = append(r.Checks, promotion.RequiredCheck{Name: check.Context, App: check.App})
	}
	for _, w := range p.Workflows {
		r.Names = append(r.Names, w.Path)
	}
	return r
}

// bypass asks whether the App may do without the rules of a ruleset; empty if GitHub does not say.
func (ru Rules) bypass(
	ctx context.Context, id int64, known map[int64]promotion.Bypass,
) (promotion.Bypass, error) {
	if has, asked := known[id]; asked || len(known) == mostRulesets || id == 0 {
		return has, nil
	}
	var ruleset struct {
		Bypass promotion.Bypass `json:"current_user_can_bypass"`
	}
	_, err := ru.get(ctx, fmt.Sprintf("rulesets/%d", id), &ruleset)
	if err != nil && !isUnknown(err) {
		return "", err
	}
	if ruleset.Bypass == bypassExempt {
		ruleset.Bypass = promotion.BypassAlways
	}
	if !slices.Contains(promotion.Bypasses, ruleset.Bypass) {
		ruleset.Bypass = ""
	}
	known[id] = ruleset.Bypass
	return ruleset.Bypass, nil
}

// bypassExempt is GitHub's word for who passes a ruleset without being asked whether they mean it.
const bypassExempt promotion.Bypass = "exempt"

// get asks for something of the repository.
func (ru Rules) get(ctx context.Context, below string, into any) (*github.Response, error) {
	request, err := ru.c.rest.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/%s", ru.c.owner, ru.c.name, below), nil)
	if err != nil {
		return nil, err
	}
	response, err := ru.c.rest.Do(ctx, request, into)
	return response, classify(err)
}

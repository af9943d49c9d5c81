package gh

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// rulesOf reads the rules of one branch.
func (k *kit) rulesOf(branch string) promotion.BranchRules {
	k.Helper()
	all, err := k.client.Rules.Of(k.Context(), []string{branch})
	require.NoError(k, err)
	require.Len(k, all, 1)
	require.Equal(k, promotion.Branch{Repo: repo, Name: branch}, all[0].On)
	require.Equal(k, noon, all[0].Read)
	return all[0]
}

func (k *kit) protect(branch string, p githubsim.Protection) {
	k.Helper()
	require.NoError(k, k.Protect(repo, branch, p))
}

func TestTheRulesOfABranchAreRead(t *testing.T) {
	k := newKit(t)
	require.Equal(t, []string{"squash", "merge", "rebase"}, k.rulesOf("main").Settings)
	require.Empty(t, k.rulesOf("main").Rules)
	k.protect("main", githubsim.Protection{
		RequiredChecks: []string{"ci"}, CheckApp: 15368, UpToDate: true, RequiredReviews: 2, Owners: []string{"ann"},
		LastPush: true, Methods: []string{"merge"}, MergeQueue: true, Linear: true, Bypass: []string{"waybill[bot]"},
	})
	require.NoError(t, k.SetSettings(repo, githubsim.RepoSettings{NoSquash: true}))
	r := k.rulesOf("main")
	require.Equal(t, []string{"merge", "rebase"}, r.Settings)
	require.Regexp(t, `^ruleset \d+ of acme/app$`, r.Rules[0].From)
	for i := range r.Rules {
		require.Equal(t, promotion.BypassAlways, r.Rules[i].Bypass)
		r.Rules[i].From, r.Rules[i].Bypass = "", ""
	}
	require.Equal(t, []promotion.BranchRule{
		{Kind: promotion.RuleLinear},
		{Kind: promotion.RuleChecks, Checks: []promotion.RequiredCheck{{Name: "ci", App: 15368}}, UpToDate: true},
		{Kind: promotion.RulePulls, Approvals: 2, CodeOwners: true, LastPush: true, Methods: []string{"merge"}},
		{Kind: promotion.RuleQueue, Methods: []string{"squash"}},
	}, r.Rules)
}

func TestClassicProtectionIsReadAsRules(t *testing.T) {
	k := newKit(t)
	k.protect("main", githubsim.Protection{
		Classic: true, RequiredChecks: []string{"ci"}, RequiredReviews: 1, Linear: true, Signatures: true, Update: true,
	})
	rule := func(kind promotion.RuleKind, with promotion.BranchRule) promotion.BranchRule {
		with.Kind, with.Classic, with.From = kind, true, "the branch protection"
		return with
	}
	require.Equal(t, []promotion.BranchRule{
		rule(promotion.RuleChecks, promotion.BranchRule{Checks: []promotion.RequiredCheck{{Name: "ci"}}}),
		rule(promotion.RulePulls, promotion.BranchRule{Approvals: 1}), rule(promotion.RuleLinear, promotion.BranchRule{}),
		rule(promotion.RuleSigned, promotion.BranchRule{}), rule(promotion.RuleUpdate, promotion.BranchRule{}),
	}, k.rulesOf("main").Rules)
}

// TestRulesOfABranchThatIsNotThereAreRead has a name with every character that is special in addresses.
func TestRulesOfABranchThatIsNotThereAreRead(t *testing.T) {
	k := newKit(t)
	k.protect("release/1 #%2F", githubsim.Protection{Creation: true})
	require.Equal(t, promotion.RuleCreation, k.rulesOf("release/1 #%2F").Rules[0].Kind)
}

func TestRulesAreReadWithTheLeastPermissions(t *testing.T) {
	k := newKit(t)
	k.protect("main", githubsim.Protection{Linear: true})
	asked := k.asked(func() { k.rulesOf("main") })
	require.Equal(t, 3, asked, "settings and protection, rules, and the ruleset")
	asked = k.asked(func() {
		all, err := k.client.Rules.Of(k.Context(), []string{"main", "other", "third"})
		require.NoError(t, err)
		require.Len(t, all, 3)
	})
	require.Equal(t, 1+3+1, asked)
	last := k.Requests()[len(k.Requests())-4:]
	require.Equal(t, http.StatusNotModified, last[0].Status, "an unchanged answer costs nothing")
	require.Equal(t, http.StatusNotModified, last[1].Status)
}

// TestWhatGitHubDoesNotShowIsUnknown has it refuse the rules, the ruleset or the protection.
func TestWhatGitHubDoesNotShowIsUnknown(t *testing.T) {
	for _, row := range []struct {
		name          string
		route         githubsim.Route
		status        int
		body, unknown string
		rules         int
	}{
		{"rules", githubsim.Route{Path: "/repos/{owner}/{repo}/rules/branches/{branch}"}, 403,
			`{"message":"Resource not accessible by integration"}`, "Resource not accessible by integration", 0},
		{"rules that are not found", githubsim.Route{Path: "/repos/{owner}/{repo}/rules/branches/{branch}"}, 404,
			`{"message":"Not Found"}`, "Not Found", 0},
		{"a plan without rulesets", githubsim.Route{Path: "/repos/{owner}/{repo}/rules/branches/{branch}"}, 403,
			`{"message":"Upgrade to GitHub Pro or make this repository public to enable this feature."}`, "", 0},
		{"the ruleset", githubsim.Route{Path: "/repos/{owner}/{repo}/rulesets/{ruleset_id}"}, 404,
			`{"message":"Not Found"}`, "", 1},
		{"the protection", githubsim.Route{Field: "repository"}, 200,
			`{"data":{"repository":{"nameWithOwner":"acme/app","squashMergeAllowed":true,"mergeCommitAllowed":false,` +
				`"rebaseMergeAllowed":false},"protected":{"b0":null}},"errors":[{"type":"FORBIDDEN","path":["protected","b0"],` +
				`"message":"Resource not accessible by integration"}]}`, "", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := newKit(t)
			k.protect("main", githubsim.Protection{Linear: true})
			k.Faults().FailNext(row.route, githubsim.Fault{Status: row.status, Body: row.body})
			r := k.rulesOf("main")
			require.Equal(t, row.unknown, r.Unknown)
			require.Len(t, r.Rules, row.rules)
			if row.name == "the ruleset" {
				require.Empty(t, r.Rules[0].Bypass)
			}
		})
	}
}

func TestRulesThatCannotBeReadNowAreAnError(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(githubsim.Route{Path: "/repos/{owner}/{repo}/rules/branches/{branch}"},
		githubsim.Fault{Status: 502, Times: 10})
	_, err := k.client.Rules.Of(k.Context(), []string{"main"})
	require.ErrorIs(t, err, ErrTransient)
}

package githubsim

import (
	"fmt"

	"github.com/stretchr/testify/require"
)

// Pages of GitHub's documentation.
const (
	docsRules    = "documented: rest/repos/rules#get-rules-for-a-branch"
	docsRuleKind = "documented: repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/" +
		"available-rules-for-rulesets"
)

// violation begins GitHub's words where a ruleset refuses something.
const violation = "Repository rule violations found\n\n"

func ruleRows() []behaviour {
	return []behaviour{
		{"lists the rules of a branch with their ruleset, also of a branch that does not exist", docsRules, provesRules},
		{"lists the rules whether or not whoever asks may bypass them", docsRules, func(k *kit) {
			require.NoError(k, k.Protect(k.repo, "main", Protection{Update: true, Bypass: []string{"waybill[bot]"}}))
			require.Equal(k, []any{"update"}, k.rules("main"))
		}},
		{"says of a ruleset whether whoever asks may bypass it", "assumed, play ruleset", provesBypass},
		{"lists no classic protection among the rules", "reported: leynier/alera#724", func(k *kit) {
			require.NoError(k, k.Protect(k.repo, "main", Protection{Classic: true, RequiredReviews: 1}))
			require.Empty(k, k.rules("main"))
		}},
		{"shows classic protection without administration, as the rule of a reference",
			"assumed, play restricted", provesUpdateRule},
		{"counts for a required check only the App that the rule names", docsRuleKind, func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"ci"}, CheckApp: k.AppID()}))
			k.pass("x", "success")
			k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405, `Required status check "ci" is expected.`)
		}},
		{"wants the approval of a code owner, and not of whoever has pushed last", docsRuleKind, provesReviewers},
		{"refuses merge methods that the rules do not allow: 405", "reported: ZcashFoundation/zebra#11282", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.Protect(k.repo, "main", Protection{Methods: []string{"rebase"}}))
			k.refused(k.bot(), "PUT", path+"/merge", `{"merge_method":"squash"}`, 405,
				violation+"This branch does not allow squash as a merge method.")
			status, _ := k.bot().send("PUT", path+"/merge", `{"merge_method":"rebase"}`)
			require.Equal(k, 200, status)
		}},
		{"wants a linear history: squashes and rebases only, and no pushed merges", docsRuleKind, provesLinearHistory},
		{"wants signatures: those of GitHub count, also on commits that an App makes in nobody's name",
			"reported: peter-evans/create-pull-request#1241, play signed-commit", provesSignatures},
		{"signs nothing as an Enterprise Server before web commit signing is set up: no commits of an App, no squashes",
			docsServer + "admin/configuring-settings/configuring-user-applications-for-your-enterprise/" +
				"configuring-web-commit-signing", provesUnsigned},
		{"lets only the bypass list change a restricted branch", docsRuleKind, provesRestricted},
		{"refuses to merge into a branch to which classic protection lets others push only: 405", "assumed, play restricted",
			func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				require.NoError(k, k.Protect(k.repo, "main", Protection{Classic: true, Update: true}))
				k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405, "You're not authorized to push to this branch.")
			}},
		{"lets only the bypass list create, delete or force a branch", docsRuleKind, provesRestrictedRefs},
	}
}

// rules lists the kinds of the rules of a branch.
func (k *kit) rules(branch string) (kinds []any) {
	k.Helper()
	status, answer := k.bot().send("GET", "/repos/acme/app/rules/branches/"+branch, "")
	require.Equal(k, 200, status)
	for i := range answer["items"].([]any) {
		kinds = append(kinds, dig(answer, "items", i, "type"))
	}
	return kinds
}

func provesRules(k *kit) {
	require.Empty(k, k.rules("main"))
	require.NoError(k, k.Protect(k.repo, "later/1", Protection{
		RequiredChecks: []string{"ci"}, CheckApp: 15368, RequiredReviews: 2, LastPush: true, Methods: []string{"squash"},
		UpToDate: true, MergeQueue: true, Signatures: true, Linear: true, Update: true, Creation: true, Deletion: true,
		NonFastForward: true,
	}))
	require.Equal(k, []any{
		"creation", "update", "deletion", "non_fast_forward", "required_linear_history", "required_signatures",
		"required_status_checks", "pull_request", "merge_queue",
	}, k.rules("later/1"))
	_, answer := k.bot().send("GET", "/repos/acme/app/rules/branches/later/1?per_page=2&page=4", "")
	require.Len(k, answer["items"], 2)
	require.Equal(k, []any{"ci", 15368.0}, []any{
		dig(answer, "items", 0, "parameters", "required_status_checks", 0, "context"),
		dig(answer, "items", 0, "parameters", "required_status_checks", 0, "integration_id"),
	})
	require.Equal(k, []any{2.0, true, "squash", "acme/app"}, []any{
		dig(answer, "items", 1, "parameters", "required_approving_review_count"),
		dig(answer, "items", 1, "parameters", "require_last_push_approval"),
		dig(answer, "items", 1, "parameters", "allowed_merge_methods", 0), dig(answer, "items", 1, "ruleset_source"),
	})
}

func provesBypass(k *kit) {
	bypass := func(logins ...string) any {
		require.NoError(k, k.Protect(k.repo, "main", Protection{Linear: true, Bypass: logins}))
		_, answer := k.bot().send("GET", "/repos/acme/app/rules/branches/main", "")
		id := dig(answer, "items", 0, "ruleset_id").(float64)
		_, ruleset := k.bot().send("GET", fmt.Sprintf("/repos/acme/app/rulesets/%.0f", id), "")
		return ruleset["current_user_can_bypass"]
	}
	require.Equal(k, "never", bypass("ann"))
	require.Equal(k, "always", bypass("waybill[bot]"))
	k.refused(k.bot(), "GET", "/repos/acme/app/rulesets/1", "", 404, "Not Found")
}

func provesUpdateRule(k *kit) {
	const query = `{ repository(owner: "acme", name: "app") { ref(qualifiedName: "refs/heads/main") { refUpdateRule {
		requiredApprovingReviewCount requiredStatusCheckContexts requiresLinearHistory viewerCanPush } } } }`
	rule := func(p Protection) any {
		require.NoError(k, k.Protect(k.repo, "main", p))
		return dig(k.graphql(query, nil), "data", "repository", "ref", "refUpdateRule")
	}
	require.Nil(k, rule(Protection{RequiredReviews: 1}), "it is a ruleset")
	require.Equal(k, obj{
		"requiredApprovingReviewCount": 1.0, "requiredStatusCheckContexts": []any{"ci"}, "requiresLinearHistory": true,
		"viewerCanPush": true,
	}, rule(Protection{Classic: true, RequiredReviews: 1, RequiredChecks: []string{"ci"}, Linear: true}))
	require.Equal(k, obj{
		"requiredApprovingReviewCount": nil, "requiredStatusCheckContexts": []any{}, "requiresLinearHistory": false,
		"viewerCanPush": false,
	}, rule(Protection{Classic: true, Update: true}))
}

func provesReviewers(k *kit) {
	number, path := k.open("x", "tag: v2\n")
	require.NoError(k, k.Protect(k.repo, "main", Protection{Owners: []string{"bob"}}))
	k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405, "Waiting on code owner review from bob.")
	require.NoError(k, k.Review(k.repo, number, "bob", "APPROVED", ""))
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1, LastPush: true}))
	_, err := k.PushFiles(k.repo, "x", "bob", "more", map[string]*string{"more": Text("1")})
	require.NoError(k, err)
	k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405,
		"At least 1 approving review is required by reviewers with write access.")
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1}))
	status, _ := k.bot().send("PUT", path+"/merge", `{}`)
	require.Equal(k, 200, status)
}

// commit makes a commit on a parent by the API, and returns its SHA.
func (k *kit) commit(more string, parents ...string) string {
	k.Helper()
	_, parent := k.bot().send("GET", "/repos/acme/app/git/commits/"+parents[0], "")
	body := fmt.Sprintf(`{"message":"m","tree":"%s","parents":["%s"`, dig(parent, "tree", "sha"), parents[0])
	for _, one := range parents[1:] {
		body += `,"` + one + `"`
	}
	status, made := k.bot().send("POST", "/repos/acme/app/git/commits", body+"]"+more+"}")
	require.Equal(k, 201, status)
	return made["sha"].(string)
}

// moves asks for main to be moved to a commit, and requires GitHub's no; "" if there is none.
func (k *kit) moves(sha, refusal string) {
	k.Helper()
	const main = "/repos/acme/app/git/refs/heads/main"
	if refusal != "" {
		k.refused(k.bot(), "PATCH", main, `{"sha":"`+sha+`"}`, 422, violation+refusal)
		return
	}
	status, _ := k.bot().send("PATCH", main, `{"sha":"`+sha+`"}`)
	require.Equal(k, 200, status)
}

func provesLinearHistory(k *kit) {
	_, path := k.open("x", "tag: v2\n")
	require.NoError(k, k.Protect(k.repo, "main", Protection{Linear: true}))
	const merges = "This branch must not contain merge commits."
	k.refused(k.bot(), "PUT", path+"/merge", `{"merge_method":"merge"}`, 405, violation+merges)
	head := k.Head(k.repo, "main")
	k.moves(k.commit("", head, k.Head(k.repo, "x")), merges)
	k.moves(k.commit("", head), "")
	status, _ := k.bot().send("PUT", path+"/merge", `{"merge_method":"squash"}`)
	require.Equal(k, 200, status)
}

func provesSignatures(k *kit) {
	_, path := k.open("x", "tag: v2\n") // ann has pushed without a signature
	require.NoError(k, k.Protect(k.repo, "main", Protection{Signatures: true}))
	const signed = "Commits must have verified signatures."
	k.refused(k.bot(), "PUT", path+"/merge", `{"merge_method":"merge"}`, 405, violation+signed)
	k.refused(k.bot(), "PUT", path+"/merge", `{"merge_method":"rebase"}`, 405, violation+signed)
	head := k.Head(k.repo, "main")
	k.moves(k.commit(`,"author":{"name":"Ann","email":"ann@example.com"}`, head), signed)
	own := k.commit("", head)
	_, shown := k.bot().send("GET", "/repos/acme/app/git/commits/"+own, "")
	require.Equal(k, true, dig(shown, "verification", "verified"))
	k.moves(own, "")
	status, _ := k.bot().send("PUT", path+"/merge", `{"merge_method":"squash"}`)
	require.Equal(k, 200, status)
}

// provesUnsigned: neither a commit of the App nor a squash is signed before somebody has set that up.
func provesUnsigned(k *kit) {
	k.BeEnterprise("3.16.0")
	_, path := k.open("x", "tag: v2\n")
	require.NoError(k, k.Protect(k.repo, "main", Protection{Signatures: true}))
	verification := func() any {
		own := k.commit("", k.Head(k.repo, "main"))
		_, shown := k.bot().send("GET", "/repos/acme/app/git/commits/"+own, "")
		return dig(shown, "verification", "reason")
	}
	require.Equal(k, "unsigned", verification())
	k.moves(k.commit("", k.Head(k.repo, "main")), "Commits must have verified signatures.")
	k.refused(k.bot(), "PUT", path+"/merge", `{"merge_method":"squash"}`, 405,
		violation+"Commits must have verified signatures.")
	k.SignCommits()
	require.Equal(k, "valid", verification())
	status, _ := k.bot().send("PUT", path+"/merge", `{"merge_method":"squash"}`)
	require.Equal(k, 200, status)
}

func provesRestricted(k *kit) {
	number, path := k.open("x", "tag: v2\n")
	rule := Protection{Update: true, Bypass: []string{"ann"}}
	require.NoError(k, k.Protect(k.repo, "main", rule))
	const cannot = "Cannot update this protected ref."
	k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405, violation+cannot)
	k.refused(k.bot(), "PATCH", "/repos/acme/app/git/refs/heads/main",
		`{"sha":"`+k.commit("", k.Head(k.repo, "main"))+`"}`, 422, cannot)
	_, err := k.MergePull(k.repo, number, "ann", "squash")
	require.NoError(k, err)
}

func provesRestrictedRefs(k *kit) {
	require.NoError(k, k.Protect(k.repo, "y", Protection{Creation: true, Deletion: true, NonFastForward: true}))
	bot, refs := k.bot(), "/repos/acme/app/git/refs"
	head := k.Head(k.repo, "main")
	k.refused(bot, "POST", refs, `{"ref":"refs/heads/y","sha":"`+head+`"}`, 422,
		violation+"Cannot create ref due to creations being restricted.")
	require.NoError(k, k.CreateBranch(k.repo, "y", "ann", "main"))
	other := k.commit("", head)
	status, _ := bot.send("PATCH", refs+"/heads/y", `{"sha":"`+other+`"}`)
	require.Equal(k, 200, status)
	k.refused(bot, "PATCH", refs+"/heads/y", `{"sha":"`+head+`","force":true}`, 422,
		violation+"Cannot force-push to this protected ref.")
	k.refused(bot, "DELETE", refs+"/heads/y", "", 422, violation+"Cannot delete this protected ref.")
}

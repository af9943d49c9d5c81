package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

const ourApp = 4711

// ruleset is a rule of a ruleset that the App may not bypass.
func ruleset(kind promotion.RuleKind, with ...func(*promotion.BranchRule)) promotion.BranchRule {
	r := promotion.BranchRule{Kind: kind, From: "ruleset 7 of acme/deploy", Bypass: promotion.BypassNever}
	for _, one := range with {
		one(&r)
	}
	return r
}

func checks(app int64, names ...string) promotion.BranchRule {
	return ruleset(promotion.RuleChecks, func(r *promotion.BranchRule) {
		for _, name := range names {
			r.Checks = append(r.Checks, promotion.RequiredCheck{Name: name, App: app})
		}
	})
}

func methods(all ...string) func(*promotion.BranchRule) {
	return func(r *promotion.BranchRule) { r.Methods = all }
}

func bypass(b promotion.Bypass) func(*promotion.BranchRule) {
	return func(r *promotion.BranchRule) { r.Bypass = b }
}

func approvals(n int) func(*promotion.BranchRule) {
	return func(r *promotion.BranchRule) { r.Approvals = n }
}

func classic(r *promotion.BranchRule) {
	r.Classic, r.From, r.Bypass = true, "the branch protection", ""
}

func commits(s *promotion.Stage) { s.Delivery = promotion.DeliveryCommit }

func whole(s *promotion.Stage) {
	s.Targets[0].Changes, s.Targets[0].Copies = nil, []promotion.Copy{{Warehouse: "api"}}
}

func said(method string) func(*promotion.Stage) {
	return func(s *promotion.Stage) { s.Merge.Method = method }
}

const (
	bypassIt = " -> put the App on the bypass list of ruleset 7 of acme/deploy (Always allow)"
	orPulls  = bypassIt + "; or let the stage be promoted by pull requests, without `commit: direct`"
)

// TestWhatRulesDemand has the demands of rules on dev, which is promoted by pull requests unless a row changes that,
// on a branch of a repository that allows every merge method.
func TestWhatRulesDemand(t *testing.T) {
	for _, row := range []struct {
		name  string
		rules []promotion.BranchRule
		stage func(*promotion.Stage)
		want  []string
	}{
		{"no rules", nil, nil, nil},
		{"checks of others", []promotion.BranchRule{checks(15368, "ci", "lint")}, nil, []string{
			"takes: merged after these checks have passed, which must run on its branch `waybill/...`: `ci`, `lint`"}},
		{"an up-to-date branch", []promotion.BranchRule{ruleset(promotion.RuleChecks,
			func(r *promotion.BranchRule) { r.UpToDate = true })}, nil, []string{
			"takes: made anew whenever the branch moves, because its pull request must be up to date"}},
		{"our check of the pipeline file", []promotion.BranchRule{checks(0, "waybill / config")}, nil, []string{
			"stops: the check `waybill / config` is required, which pull requests of promotions never have" +
				" -> take this check out of the rule"}},
		{"our check of a stage that nobody guards", []promotion.BranchRule{checks(ourApp, "waybill / dev")}, nil, []string{
			"stops: the check `waybill / dev` is required, which only guarded stages report on pull requests" +
				" -> set `guard: true` in `dev`, or take this check out of the rule"}},
		{"our check of a guarded stage", []promotion.BranchRule{checks(ourApp, "waybill / dev")},
			func(s *promotion.Stage) { s.Guard = true }, nil},
		{"our check of a guarded stage, from another App", []promotion.BranchRule{checks(1, "waybill / dev")},
			func(s *promotion.Stage) { s.Guard = true }, []string{
				"stops: the check `waybill / dev` must come from another App, which never reports it" +
					" -> name Waybill's App as the source of the check"}},
		{"our check of no stage", []promotion.BranchRule{checks(0, "waybill / staging")}, nil, []string{
			"stops: the check `waybill / staging` is required, and there is no stage `staging`" +
				" -> take this check out of the rule"}},
		{"reviews", []promotion.BranchRule{ruleset(promotion.RulePulls, approvals(2), func(r *promotion.BranchRule) {
			r.CodeOwners, r.Threads = true, true
		})}, nil, []string{
			"asks people: its pull request needs 2 approving reviews, and one of the owners of the changed files, if they " +
				"have any; /approve gives none -> let people review each promotion; or" +
				strings.TrimPrefix(bypassIt, " ->") + ", and have the policy file ask for `approvals`",
			"takes: not merged while a conversation on its pull request is unresolved"}},
		{"reviews that the App bypasses", []promotion.BranchRule{
			ruleset(promotion.RulePulls, approvals(2), bypass(promotion.BypassPulls))}, nil, nil},
		{"reviews where a person merges", []promotion.BranchRule{ruleset(promotion.RulePulls, approvals(1))},
			func(s *promotion.Stage) { s.Merge.By = promotion.MergeManual }, []string{
				"asks people: its pull request needs an approving review; /approve gives none"}},
		{"classic reviews", []promotion.BranchRule{ruleset(promotion.RulePulls, approvals(1), classic)}, nil, []string{
			"asks people: its pull request needs an approving review; /approve gives none -> let people review each " +
				"promotion; or let the App bypass required pull requests in the protection of the branch, and have the policy " +
				"file ask for `approvals`"}},
		{"pull requests without reviews", []promotion.BranchRule{ruleset(promotion.RulePulls)}, nil, nil},
		{"a restricted branch", []promotion.BranchRule{ruleset(promotion.RuleUpdate)}, nil, []string{
			"stops: only who may bypass the rule changes the branch: Waybill cannot merge into it" + bypassIt}},
		{"a restricted branch, perhaps not for the App", []promotion.BranchRule{ruleset(promotion.RuleUpdate, classic)}, nil,
			[]string{"stops: only who may bypass the rule changes the branch: Waybill cannot merge into it, unless the App " +
				"may bypass that -> add the App to those who may push to the branch"}},
		{"a merge queue", []promotion.BranchRule{ruleset(promotion.RuleQueue, methods("rebase"))}, said("squash"), []string{
			"takes: merged by the merge queue, by rebase and not by squash as the pipeline file says"}},
		{"signatures, linear history, and refs", []promotion.BranchRule{
			ruleset(promotion.RuleSigned), ruleset(promotion.RuleLinear), ruleset(promotion.RuleForce),
			ruleset(promotion.RuleDeletion), ruleset(promotion.RuleCreation)}, nil, nil},
		{"a method that the file says and the rules forbid", []promotion.BranchRule{ruleset(promotion.RuleLinear)},
			said("merge"), []string{"stops: `merge-method: merge` is not allowed, but squash, rebase" +
				" -> write one of these, or no `merge-method`"}},
		{"a method that signatures forbid", []promotion.BranchRule{ruleset(promotion.RuleSigned)}, said("rebase"),
			[]string{"stops: `merge-method: rebase` is not allowed, but squash, merge" +
				" -> write one of these, or no `merge-method`"}},
		{"a method that a pull request rule forbids", []promotion.BranchRule{
			ruleset(promotion.RulePulls, methods("merge"))}, said("squash"), []string{
			"stops: `merge-method: squash` is not allowed, but merge -> write one of these, or no `merge-method`"}},
		{"no method left", []promotion.BranchRule{
			ruleset(promotion.RulePulls, methods("merge")), ruleset(promotion.RuleLinear)}, nil, []string{
			"stops: no merge method is left: the repository's settings allow squash, merge, rebase, the branch's rules none " +
				"of these -> allow one of them in both"}},
		{"a whole branch, by squashes", []promotion.BranchRule{ruleset(promotion.RuleLinear)}, whole, []string{
			"takes: no merge commits are allowed: its pull requests are merged by squash, and the branch does not descend " +
				"from the freight"}},
		{"a rule that we do not know", []promotion.BranchRule{ruleset("commit_message_pattern")}, nil, []string{
			"takes: there is a rule `commit_message_pattern`, of which Waybill cannot say what it refuses"}},
		{"deployments and workflows", []promotion.BranchRule{
			ruleset(promotion.RuleWorkflows, func(r *promotion.BranchRule) { r.Names = []string{"scan.yml"} }),
			ruleset(promotion.RuleDeployments, func(r *promotion.BranchRule) { r.Names = []string{"qa"} })}, nil, []string{
			"asks people: the commit of the pull request must have been deployed to `qa`; Waybill deploys after the merge only",
			"takes: merged after these workflows have passed: `scan.yml`"}},

		{"a direct commit", []promotion.BranchRule{ruleset(promotion.RulePulls), ruleset(promotion.RuleQueue)}, commits,
			[]string{
				"stops: changes must be made through a pull request: Waybill cannot commit to the branch" + orPulls,
				"stops: changes must be made through the merge queue: Waybill cannot commit to the branch" + orPulls}},
		{"a direct commit past classic checks", []promotion.BranchRule{ruleset(promotion.RuleChecks, classic)}, commits,
			[]string{"stops: required checks must have passed before: Waybill cannot commit to the branch, unless the App may " +
				"bypass that -> make a ruleset of this protection, which can let the App bypass required checks; or let the " +
				"stage be promoted by pull requests, without `commit: direct`"}},
		{"a direct commit that may pass", []promotion.BranchRule{
			ruleset(promotion.RulePulls, bypass(promotion.BypassAlways))}, commits, nil},
		{"a direct commit where only pull requests pass", []promotion.BranchRule{
			ruleset(promotion.RuleUpdate, bypass(promotion.BypassPulls))}, commits, []string{
			"stops: only who may bypass the rule changes the branch: Waybill cannot commit to the branch" + orPulls}},
		{"a direct commit is signed and forward", []promotion.BranchRule{ruleset(promotion.RuleSigned),
			ruleset(promotion.RuleLinear), ruleset(promotion.RuleForce)}, commits, nil},
		{"a direct commit of a whole branch", []promotion.BranchRule{ruleset(promotion.RuleLinear)},
			func(s *promotion.Stage) { commits(s); whole(s) }, []string{
				"stops: the history must be linear, and the commit that joins branch and freight has two parents" + bypassIt}},
		{"no files", []promotion.BranchRule{ruleset(promotion.RuleUpdate)},
			func(s *promotion.Stage) { s.Delivery = promotion.DeliveryWorkflow }, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := fixture.DevPipeline()
			if row.stage != nil {
				row.stage(p.Stages[0])
			}
			var have []string
			for _, d := range Demands(p, p.Stages[0], promotion.BranchRules{
				On: p.At(), Settings: []string{"squash", "merge", "rebase"}, Rules: row.rules,
			}, ourApp) {
				require.Equal(t, p.At(), d.On)
				text := string(d.Weight) + ": " + d.Says
				if d.Do != "" {
					text += " -> " + d.Do
				}
				have = append(have, text)
			}
			require.Equal(t, row.want, have)
		})
	}
}

// TestSignaturesStopPromotionsWhereGitHubSignsNothing: not what people merge, and nothing that the App may bypass.
func TestSignaturesStopPromotionsWhereGitHubSignsNothing(t *testing.T) {
	const setUp = "have an administrator of the server set up web commit signing, or "
	for _, row := range []struct {
		name  string
		rule  promotion.BranchRule
		stage func(*promotion.Stage)
		do    string // empty: nothing stops
	}{
		{"a pull request", ruleset(promotion.RuleSigned), func(*promotion.Stage) {},
			setUp + "put the App on the bypass list of ruleset 7 of acme/deploy (Always allow)"},
		{"a direct commit", ruleset(promotion.RuleSigned), commits,
			setUp + "put the App on the bypass list of ruleset 7 of acme/deploy (Always allow)"},
		{"classic protection", ruleset(promotion.RuleSigned, classic), commits,
			setUp + "make a ruleset of this protection, which can let the App bypass required signatures"},
		{"a person merges", ruleset(promotion.RuleSigned),
			func(s *promotion.Stage) { s.Merge.By = promotion.MergeManual }, ""},
		{"a bypass", ruleset(promotion.RuleSigned, bypass(promotion.BypassAlways)), commits, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := fixture.DevPipeline()
			row.stage(p.Stages[0])
			r := promotion.BranchRules{On: p.At(), Settings: []string{"squash"}, Rules: []promotion.BranchRule{row.rule}}
			require.Empty(t, Demands(p, p.Stages[0], r, ourApp), "GitHub signs")
			r.Unsigned = true
			have := Demands(p, p.Stages[0], r, ourApp)
			if row.do == "" {
				require.Empty(t, have)
				return
			}
			require.Len(t, have, 1)
			require.Equal(t, promotion.Stops, have[0].Weight)
			require.Contains(t, have[0].Says, "commits must be signed, and GitHub has not signed the last one")
			require.Equal(t, row.do, have[0].Do)
		})
	}
}

func TestTheMethodIsOneThatSettingsAndRulesAllow(t *testing.T) {
	every := []string{"squash", "merge", "rebase"}
	for _, row := range []struct {
		settings []string
		rules    []promotion.BranchRule
		stage    func(*promotion.Stage)
		want     string
	}{
		{every, nil, nil, "squash"},
		{[]string{"merge", "rebase"}, nil, nil, "merge"},
		{every, []promotion.BranchRule{ruleset(promotion.RulePulls, methods("rebase", "merge"))}, nil, "merge"},
		{[]string{"merge", "rebase"}, []promotion.BranchRule{ruleset(promotion.RuleLinear)}, nil, "rebase"},
		{[]string{"merge", "rebase"}, []promotion.BranchRule{ruleset(promotion.RuleLinear, bypass(promotion.BypassAlways))},
			nil, "merge"},
		{[]string{"rebase"}, []promotion.BranchRule{ruleset(promotion.RuleSigned)}, nil, ""},
		{every, nil, whole, "merge"},
		{every, []promotion.BranchRule{ruleset(promotion.RuleLinear)}, whole, "squash"},
		{every, []promotion.BranchRule{ruleset(promotion.RuleLinear)}, said("merge"), "merge"},
	} {
		s := fixture.DevPipeline().Stages[0]
		if row.stage != nil {
			row.stage(s)
		}
		require.Equal(t, row.want, Method(s, Methods(row.settings, promotion.BranchRules{Rules: row.rules})), "%+v", row)
	}
}

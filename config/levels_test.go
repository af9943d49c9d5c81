package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// loadUnder compiles a pipeline of the stages a, b and c under policy files of the repository and the server.
func loadUnder(t *testing.T, policy, server string) *promotion.Pipeline {
	t.Helper()
	stages := "stages: {a: {from: api, set: {a.yaml: {x: \"${api.short}\"}}}, b: {from: api, set: {b.yaml: {x: " +
		"\"${api.short}\"}}}, c: {from: api, set: {c.yaml: {x: \"${api.short}\"}}}}\n"
	p, problems := config.Load(config.Sources{Pipeline: []byte(oneWarehouse + stages), Policy: []byte(policy),
		ServerPolicyName: "/etc/policy.yml", ServerPolicy: []byte(server)})
	require.Empty(t, problems.String())
	return p
}

func TestTheServersPolicyOnlyNarrowsWhatTheRepositorySwitchesOn(t *testing.T) {
	for _, test := range []struct {
		policy, server string
		automatic      []bool
	}{
		{"version: 1\nautomatic: [a, b]\n", "version: 1\nautomatic: [b, c, elsewhere]\n", []bool{false, true, false}},
		{"version: 1\nautomatic: [a, b]\n", "version: 1\n", []bool{true, true, false}},
		{"version: 1\nautomatic: [a, b]\n", "version: 1\nautomatic: []\n", []bool{false, false, false}},
		{"version: 1\n", "version: 1\nautomatic: [a]\n", []bool{false, false, false}},
		{"", "version: 1\nautomatic: [a]\n", []bool{false, false, false}},
	} {
		var automatic []bool
		for _, s := range loadUnder(t, test.policy, test.server).Stages {
			automatic = append(automatic, s.Policy.Automatic)
		}
		require.Equal(t, test.automatic, automatic, "%s under %s", test.policy, test.server)
	}
}

func TestAFloorHoldsWhicheverPolicySetsIt(t *testing.T) {
	p := loadUnder(t, "version: 1\nstages: {a: {merge: manual}, b: {merge: auto}}\n",
		"version: 1\nstages: {b: {merge: manual}}\n")
	require.Equal(t, promotion.MergeManual, p.Stage("a").Merge.By)
	require.Equal(t, promotion.MergeManual, p.Stage("b").Merge.By)
	require.Equal(t, promotion.MergeAuto, p.Stage("c").Merge.By)
}

// TestWhoDemandsSignOffsDecidesWhetherRollbacksNeedThem: where a policy file says so, or says how many must sign off
// and nothing else. The other file does not waive it.
func TestWhoDemandsSignOffsDecidesWhetherRollbacksNeedThem(t *testing.T) { // semantics 4.13
	for _, test := range []struct {
		policy, server string
		signs          bool
	}{
		{"", "", false},
		{"stages: {a: {merge: manual}}", "", false},
		{"stages: {a: {rollbacks: true}}", "", true},
		{"stages: {a: {approvals: 1}}", "", true},
		{"stages: {b: {approvals: 1}}", "", false},
		{"stages: {a: {approvals: 1, rollbacks: false}}", "", false},
		{"stages: {\"*\": {approvals: 1}, a: {rollbacks: false}}", "", false},
		{"stages: {\"*\": {rollbacks: true}, a: {rollbacks: false}}", "", true},
		{"stages: {a: {rollbacks: false}, \"*\": {rollbacks: true}}", "", true},
		{"stages: {a: {approvals: 2, rollbacks: false}}", "stages: {a: {approvals: 1}}", true},
		{"stages: {a: {approvals: 2}}", "stages: {a: {approvals: 1, rollbacks: false}}", true},
		{"stages: {a: {approvals: 2, rollbacks: false}}", "stages: {a: {rollbacks: true}}", true},
		{"stages: {a: {approvals: 2, rollbacks: false}}", "stages: {a: {approvals: 1, rollbacks: false}}", false},
		{"stages: {a: {rollbacks: false}}", "", false},
	} {
		p := loadUnder(t, "version: 1\n"+test.policy+"\n", "version: 1\n"+test.server+"\n")
		require.Equal(t, test.signs, p.Stage("a").Policy.SignRollbacks, "%s under %s", test.policy, test.server)
		alone := loadUnder(t, "version: 1\n"+test.server+"\n", "")
		require.Equal(t, test.server != "" && test.server != "stages: {a: {approvals: 1, rollbacks: false}}",
			alone.Stage("a").Policy.SignRollbacks)
	}
}

func TestWhatBothPoliciesRuleOnBothMustAllow(t *testing.T) {
	p := loadUnder(t, `
version: 1
may:
  promote: [{stages: [a], permission: maintain}, {stages: [b], teams: [sre, dev]}, {teams: [dev]}]
  hold: [{permission: read}]
  admit: [{teams: [sre]}]
`, `
version: 1
may:
  promote: [{stages: [a], teams: [sre], not: [author]}, {permission: write, teams: [sre, ops]}]
  cancel: [{permission: admin}]
  admit: []
`)
	require.Equal(t, map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdPromote: {
			{Name: ".github/waybill.policy.yml:4 and /etc/policy.yml:4", Stages: []string{"a"}, Permission: promotion.Maintain,
				Teams: []string{"sre"}, Not: []string{"author"}},
			{Name: ".github/waybill.policy.yml:4 and /etc/policy.yml:4", Stages: []string{"b"}, Permission: promotion.Write,
				Teams: []string{"sre"}},
		}, // in c no person is in a team of both
		promotion.CmdHold:   {{Name: ".github/waybill.policy.yml:5", Permission: promotion.Read}},
		promotion.CmdCancel: {{Name: "/etc/policy.yml:5", Permission: promotion.Admin}},
		promotion.CmdAdmit:  {},
	}, p.Policy.May)
}

func TestABrokenPolicyOfTheServerIsInForceNowhere(t *testing.T) {
	p, problems := config.Load(config.Sources{
		Pipeline: []byte(pipelineOfDesign), ServerPolicyName: "/etc/policy.yml",
		ServerPolicy: []byte("version: 1\nautomatc: []\n"),
	})
	require.Nil(t, p)
	require.Equal(t, "/etc/policy.yml:2:1: unknown key \"automatc\"; did you mean \"automatic\"?", problems.String())
}

// TestUnderTheServersFloorAStageGetsPullRequests: the operator of the server does not write the pipeline files, so a
// conflict with the server's floor is a warning and breaks no file in force.
func TestUnderTheServersFloorAStageGetsPullRequests(t *testing.T) {
	for _, floor := range []string{"approvals: 1", "merge: manual"} {
		p, problems := config.Load(config.Sources{
			Pipeline: []byte(oneWarehouse + "stages: {a: {from: api, commit: direct, set: {a.yaml: {x: " +
				"\"${api.short}\"}}}}\n"),
			ServerPolicy: []byte("version: 1\nstages: {\"*\": {" + floor + "}}\n"),
		})
		require.Empty(t, problems.Errors())
		require.Len(t, problems, 1)
		require.Contains(t, problems.String(), "stages.a: `commit: direct` has no effect: the policy ")
		require.Equal(t, promotion.DeliveryPullRequest, p.Stages[0].Delivery)
	}
}

// TestUnderTheServersFloorNoWorkflowIsStarted: a workflow has no pull request to sign off or merge, so it never starts.
func TestUnderTheServersFloorNoWorkflowIsStarted(t *testing.T) {
	for _, floor := range []string{"approvals: 1", "merge: manual"} {
		p, problems := config.Load(config.Sources{
			Pipeline:     []byte(oneWarehouse + "stages: {a: {from: api, dispatch: {workflow: deploy.yml}}}\n"),
			ServerPolicy: []byte("version: 1\nstages: {\"*\": {" + floor + "}}\n"),
		})
		require.Empty(t, problems.Errors())
		require.Contains(t, problems.String(), "stages.a: `dispatch` has no effect: the policy ")
		require.Equal(t, 1, p.Stages[0].Policy.Approvals)
		require.True(t, p.Stages[0].Policy.SignRollbacks, "no rollback passes")
	}
}

// TestWhoIsNotToSignOffStaysSoUnlessAPolicySaysOtherwiseT15: a rule that names who may approve, and not who may not, is
// about the first question only.
func TestWhoIsNotToSignOffStaysSoUnlessAPolicySaysOtherwiseT15(t *testing.T) {
	usual := []string{"author", "requester"}
	for _, test := range []struct {
		policy, server string
		not            []string
	}{
		{"may: {approve: [{permission: maintain}]}", "", usual},
		{"may: {approve: [{teams: [sre]}]}", "", usual},
		{"may: {approve: [{permission: write, not: []}]}", "", nil},
		{"may: {approve: [{permission: write, not: [author]}]}", "", []string{"author"}},
		{"may: {approve: [{permission: write, not: []}]}", "may: {approve: [{permission: write}]}", usual},
		{"may: {approve: [{permission: write}]}", "may: {approve: [{permission: write, not: []}]}", usual},
	} {
		p := loadUnder(t, "version: 1\n"+test.policy+"\n", "version: 1\n"+test.server+"\n")
		require.Equal(t, test.not, p.Policy.May[promotion.CmdApprove][0].Not, "%s under %s", test.policy, test.server)
	}
	deny := loadUnder(t, "version: 1\nmay: {deny: [{permission: write}]}\n", "").Policy.May[promotion.CmdDeny]
	require.Empty(t, deny[0].Not)
}

// TestTheServersRulesAloneNarrowTheDefaults: where the repository has no rule, its default is in force as well.
func TestTheServersRulesAloneNarrowTheDefaults(t *testing.T) {
	p := loadUnder(t, "version: 1\nmay: {deny: [{permission: read}]}\n", `
version: 1
may:
  approve: [{permission: read, not: []}]
  unhold: [{permission: read}]
  deny: [{permission: read}]
`)
	narrows := map[promotion.CommandVerb]bool{promotion.CmdApprove: true, promotion.CmdUnhold: true}
	require.Equal(t, narrows, p.Policy.Narrows)
}

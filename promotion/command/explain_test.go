package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

func TestWhatSomebodyMayIsExplainedByTheRuleThatDecides(t *testing.T) {
	t.Parallel()
	p := promotion.Policy{May: map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdPromote: {{Name: "policy.yml:4", Stages: []string{"prod"}, Permission: promotion.Write,
			Teams: []string{"sre"}}, {Name: "policy.yml:5", Permission: promotion.Read}},
		promotion.CmdApprove: {{Name: "policy.yml:6", Not: []string{"author", "last-pusher"}}},
		promotion.CmdCancel:  {},
	}}
	for _, c := range []struct {
		stage promotion.StageName
		has   promotion.Permission
		teams []string
		verb  promotion.CommandVerb
		rule  string
		says  string
	}{
		{"prod", promotion.Admin, nil, promotion.CmdPromote, "policy.yml:4", "no: that needs one of the teams sre"},
		{"prod", promotion.Read, []string{"sre"}, promotion.CmdPromote, "policy.yml:4",
			"no: that needs write permission"},
		{"prod", promotion.Write, []string{"sre"}, promotion.CmdPromote, "policy.yml:4", "yes"},
		{"dev", promotion.Read, nil, promotion.CmdPromote, "policy.yml:5", "yes"},
		{"dev", promotion.Read, nil, promotion.CmdApprove, "policy.yml:6",
			"yes, unless they are the promotion's author or last-pusher"},
		{"dev", promotion.Admin, nil, promotion.CmdCancel, "none", "no: nobody may do that here"},
		{"dev", promotion.Admin, nil, promotion.CmdVerdict, "none", "no: nobody may do that here"},
		{"dev", promotion.Triage, nil, promotion.CmdHold, "default", "no: that needs write permission"},
		{"dev", promotion.Write, nil, promotion.CmdUnhold, "default", "yes, but only holds of their own or of Waybill"},
		{"dev", promotion.Maintain, nil, promotion.CmdUnhold, "default", "yes"},
		{"dev", promotion.Unasked, nil, promotion.CmdStatus, "default",
			"no: GitHub could not be asked who may do that; try again in a minute"},
	} {
		for _, r := range command.Explain(p, c.stage, c.has, c.teams) {
			if r.Verb == c.verb {
				require.Equal(t, c.rule, r.Rule, c)
				require.Equal(t, c.says, say.RightWords(r), c)
			}
		}
	}
	require.Len(t, command.Explain(p, "prod", promotion.Read, nil), len(command.Commands))
}

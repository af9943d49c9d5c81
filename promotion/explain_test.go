package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatSomebodyMayIsExplainedByTheRuleThatDecides(t *testing.T) {
	t.Parallel()
	p := Policy{May: map[CommandVerb][]Rule{
		CmdPromote: {{Name: "policy.yml:4", Stages: []string{"prod"}, Permission: Write, Teams: []string{"sre"}}, {Name: "policy.yml:5", Permission: Read}},
		CmdApprove: {{Name: "policy.yml:6", Not: []string{"author", "last-pusher"}}},
		CmdCancel:  {},
	}}
	for _, c := range []struct {
		stage StageName
		has   Permission
		teams []string
		verb  CommandVerb
		rule  string
		says  string
	}{
		{"prod", Admin, nil, CmdPromote, "policy.yml:4", "no: that needs one of the teams sre"},
		{"prod", Read, []string{"sre"}, CmdPromote, "policy.yml:4", "no: that needs write permission"},
		{"prod", Write, []string{"sre"}, CmdPromote, "policy.yml:4", "yes"},
		{"dev", Read, nil, CmdPromote, "policy.yml:5", "yes"},
		{"dev", Read, nil, CmdApprove, "policy.yml:6", "yes, unless they are the promotion's author or last-pusher"},
		{"dev", Admin, nil, CmdCancel, "none", "no: nobody may do that here"},
		{"dev", Admin, nil, CmdVerdict, "none", "no: nobody may do that here"},
		{"dev", Triage, nil, CmdHold, "default", "no: that needs write permission"},
		{"dev", Write, nil, CmdUnhold, "default", "yes, but only holds of their own or of Waybill"},
		{"dev", Maintain, nil, CmdUnhold, "default", "yes"},
		{"dev", Unasked, nil, CmdStatus, "default", "no: GitHub could not be asked who may do that; try again in a minute"},
	} {
		for _, r := range p.Explain(c.stage, c.has, c.teams) {
			if r.Verb == c.verb {
				require.Equal(t, c.rule, r.Rule, c)
				require.Equal(t, c.says, r.Words(), c)
			}
		}
	}
	require.Len(t, p.Explain("prod", Read, nil), len(Commands))
}

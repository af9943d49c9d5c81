package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
)

func TestARejectIsOfAStageOrOfAll(t *testing.T) {
	p := &promotion.Pipeline{Stages: []*promotion.Stage{{Name: "dev"}, {Name: "prod", Index: 1}}}
	for text, want := range map[string]promotion.Command{
		`/reject api#1 prod --because "it burns"`: {Stage: "prod", Freight: "api#1", Text: "it burns"},
		`/reject api#1 --because burns`:           {Freight: "api#1", Text: "burns"},
		`/reject PROD --because burns`:            {Stage: "prod", Text: "burns"},
		`/reject --because burns`:                 {Text: "burns"},
		`/reject nowhere --because burns`:         {Freight: "nowhere", Text: "burns"},
	} {
		c, is := command.ParseCommand(text)
		require.True(t, is, text)
		_, c = command.Address(p, c)
		want.Verb = promotion.CmdReject
		require.Equal(t, want, c, text)
	}
}

func TestWhoDecidesVerdictsRejects(t *testing.T) {
	var p promotion.Policy
	may := func(verb promotion.CommandVerb, has promotion.Permission, teams ...string) bool {
		return command.Entitles(p, verb, "dev", has, teams)
	}
	for _, verb := range []promotion.CommandVerb{promotion.CmdReject, promotion.CmdUnreject, promotion.CmdFixes} {
		p = promotion.Policy{}
		require.True(t, may(verb, promotion.Maintain), "without a rule")
		require.False(t, may(verb, promotion.Write))
		require.False(t, may(promotion.CmdVerdict, promotion.Admin))
		p.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{Teams: []string{"sre"}}}}
		require.True(t, may(verb, promotion.Read, "sre"), "whom the policy lets")
		require.False(t, may(verb, promotion.Admin))
		p.Narrows = map[promotion.CommandVerb]bool{promotion.CmdVerdict: true}
		require.False(t, may(verb, promotion.Write, "sre"), "the server only narrows")
		require.True(t, may(verb, promotion.Maintain, "sre"))
	}
}

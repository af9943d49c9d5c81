package decide

import (
	"fmt"
	"testing"

	"waybill/promotion"
	"waybill/promotion/command"

	"github.com/stretchr/testify/require"
)

var verbs = []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdRollback, promotion.CmdHold, promotion.CmdUnhold,
	promotion.CmdCancel, promotion.CmdRetry, promotion.CmdVerify, promotion.CmdVerdict, promotion.CmdApprove,
	promotion.CmdDeny, promotion.CmdAdmit}

// sentence is a command that lacks nothing.
func sentence(v promotion.CommandVerb) string {
	switch v {
	case promotion.CmdAdmit:
		return `/admit api#1 dev --because "hot fix"`
	case promotion.CmdVerdict:
		return `/verdict dev pass --because "seen"`
	}
	return fmt.Sprintf("/%s dev", v)
}

func TestWhoMayWhatByDefault(t *testing.T) { // T13
	for _, v := range verbs {
		for p := promotion.NoPermission; p <= promotion.Admin; p++ {
			t.Run(fmt.Sprintf("%s may %s", p, v), func(t *testing.T) {
				got := answer(saysAs(inState(promotion.WaitingForMerge), bob, p, sentence(v)))
				switch {
				case v == promotion.CmdAdmit || v == promotion.CmdVerdict:
					require.Equal(t, "refused because forbidden nobody", got)
				case p < promotion.Write:
					require.Equal(t, "refused because forbidden write", got)
				default:
					require.NotContains(t, got, "forbidden")
				}
			})
		}
	}
}

func TestThePolicyFileDecides(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []promotion.Rule
		has   promotion.Permission
		teams []string
		want  string
	}{
		{"nobody, when the list is empty", []promotion.Rule{}, promotion.Admin, nil,
			"refused because forbidden nobody"},
		{"nobody, when no entry is about the stage", []promotion.Rule{{Stages: []string{"prod"}}}, promotion.Admin, nil,
			"refused because forbidden nobody"},
		{"everybody, when an entry asks for nothing", []promotion.Rule{{}}, promotion.NoPermission, nil, "done"},
		{"who has the permission", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Maintain, nil, "done"},
		{"who has more", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Admin, nil, "done"},
		{"not who has less", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Write, nil,
			"refused because forbidden maintain"},
		{"who is in one of the teams", []promotion.Rule{{Teams: []string{"sre", "lead"}}}, promotion.Read,
			[]string{"web", "Lead"}, "done"},
		{"not who is in none", []promotion.Rule{{Teams: []string{"sre", "lead"}}}, promotion.Admin, []string{"web"},
			"refused because forbidden sre lead"},
		{"not who has the team without the permission",
			[]promotion.Rule{{Permission: promotion.Write, Teams: []string{"sre"}}}, promotion.Read, []string{"sre"},
			"refused because forbidden write"},
		{"the first entry about the stage alone",
			[]promotion.Rule{{Stages: []string{"d*"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			"refused because forbidden admin"},
		{"an entry about another stage is passed over",
			[]promotion.Rule{{Stages: []string{"prod", "qa"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			"done"},
		{"an entry that lists the stage among others",
			[]promotion.Rule{{Stages: []string{"prod", "dev"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			"refused because forbidden admin"},
	} {
		s := inState(promotion.Failed)
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdPromote: c.rules}
		saysAs(s, bob, c.has, "/promote dev")
		s.Requests[0].Teams = c.teams
		require.Equal(t, c.want, answer(s), c.name)
		require.Equal(t, c.want == "done",
			command.Entitles(s.Pipeline.Policy, promotion.CmdPromote, "dev", c.has, c.teams), c.name)
	}
}

func TestNobodyApprovesTheirOwn(t *testing.T) { // T15
	for _, c := range []struct {
		name string
		set  func(*promotion.Snapshot)
		want string
	}{
		{"somebody else's", func(*promotion.Snapshot) {}, "done"},
		{"of which they wrote the freight", func(s *promotion.Snapshot) { s.Freight[0].Author = bob },
			"refused because forbidden not author"},
		// T14
		{"of which they wrote the freight by another name",
			func(s *promotion.Snapshot) { s.Freight[0].Author = promotion.Actor{ID: bob.ID, Login: "rob"} },
			"refused because forbidden not author"},
		{"of somebody else who has their old name",
			func(s *promotion.Snapshot) { s.Freight[0].Author = promotion.Actor{ID: 77, Login: bob.Login} }, "done"},
		{"that they asked for", func(s *promotion.Snapshot) { s.Promotions[0].By = bob },
			"refused because forbidden not requester"},
		{"of freight that nobody knows", func(s *promotion.Snapshot) { s.Freight = nil }, "done"},
	} {
		s := inState(promotion.WaitingForMerge)
		s.Freight[0].Author = ann
		c.set(s)
		require.Equal(t, c.want, answer(saysAs(s, bob, promotion.Write, "/approve dev")), c.name)
	}
}

func TestTheWholePipelineIsHeldWithOneRightAndLetGoWithAll(t *testing.T) {
	only := func(stage string) []promotion.Rule { return []promotion.Rule{{Stages: []string{stage}}} }
	for _, c := range []struct {
		may  []promotion.Rule
		text string
		want string
	}{
		{only("dev"), "/hold --all", "done"}, {only("prod"), "/hold --all", "done"},
		{only("prod"), "/hold the horses", "done"},
		{only("qa"), "/hold --all", "refused because forbidden nobody"},
		{only("dev"), "/unhold --all", "refused because forbidden nobody"},
		{only("prod"), "/unhold --all", "refused because forbidden nobody"},
		{[]promotion.Rule{{}}, "/unhold --all", "already"},
	} {
		s := inState(promotion.Succeeded)
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdHold: c.may,
			promotion.CmdUnhold: c.may}
		require.Equal(t, c.want, answer(saysAs(s, bob, promotion.Read, c.text)), "%v %s", c.may, c.text)
	}
}

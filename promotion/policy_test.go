package promotion

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

var verbs = []CommandVerb{CmdPromote, CmdRollback, CmdHold, CmdUnhold, CmdCancel, CmdRetry, CmdVerify, CmdVerdict, CmdApprove, CmdDeny, CmdAdmit}

// sentence is a command that lacks nothing.
func sentence(v CommandVerb) string {
	switch v {
	case CmdAdmit:
		return `/admit api#1 dev --because "hot fix"`
	case CmdVerdict:
		return `/verdict dev pass --because "seen"`
	}
	return fmt.Sprintf("/%s dev", v)
}

func TestWhoMayWhatByDefault(t *testing.T) { // T13
	for _, v := range verbs {
		for p := NoPermission; p <= Admin; p++ {
			t.Run(fmt.Sprintf("%s may %s", p, v), func(t *testing.T) {
				got := answer(saysAs(inState(WaitingForMerge), bob, p, sentence(v)))
				switch {
				case v == CmdAdmit || v == CmdVerdict:
					require.Equal(t, "refused because forbidden nobody", got)
				case p < Write:
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
		rules []Rule
		has   Permission
		teams []string
		want  string
	}{
		{"nobody, when the list is empty", []Rule{}, Admin, nil, "refused because forbidden nobody"},
		{"nobody, when no entry is about the stage", []Rule{{Stages: []string{"prod"}}}, Admin, nil, "refused because forbidden nobody"},
		{"everybody, when an entry asks for nothing", []Rule{{}}, NoPermission, nil, "done"},
		{"who has the permission", []Rule{{Permission: Maintain}}, Maintain, nil, "done"},
		{"who has more", []Rule{{Permission: Maintain}}, Admin, nil, "done"},
		{"not who has less", []Rule{{Permission: Maintain}}, Write, nil, "refused because forbidden maintain"},
		{"who is in one of the teams", []Rule{{Teams: []string{"sre", "lead"}}}, Read, []string{"web", "Lead"}, "done"},
		{"not who is in none", []Rule{{Teams: []string{"sre", "lead"}}}, Admin, []string{"web"}, "refused because forbidden sre lead"},
		{"not who has the team without the permission", []Rule{{Permission: Write, Teams: []string{"sre"}}}, Read, []string{"sre"}, "refused because forbidden write"},
		{"the first entry about the stage alone", []Rule{{Stages: []string{"d*"}, Permission: Admin}, {}}, Write, nil, "refused because forbidden admin"},
		{"an entry about another stage is passed over", []Rule{{Stages: []string{"prod", "qa"}, Permission: Admin}, {}}, Write, nil, "done"},
		{"an entry that lists the stage among others", []Rule{{Stages: []string{"prod", "dev"}, Permission: Admin}, {}}, Write, nil, "refused because forbidden admin"},
	} {
		s := inState(Failed)
		s.Pipeline.Policy.May = map[CommandVerb][]Rule{CmdPromote: c.rules}
		saysAs(s, bob, c.has, "/promote dev")
		s.Requests[0].Teams = c.teams
		require.Equal(t, c.want, answer(s), c.name)
		require.Equal(t, c.want == "done", s.Pipeline.Policy.Entitles(CmdPromote, "dev", c.has, c.teams), c.name)
	}
}

func TestNobodyApprovesTheirOwn(t *testing.T) { // T15
	for _, c := range []struct {
		name string
		set  func(*Snapshot)
		want string
	}{
		{"somebody else's", func(*Snapshot) {}, "done"},
		{"of which they wrote the freight", func(s *Snapshot) { s.Freight[0].Author = bob }, "refused because forbidden not author"},
		{"of which they wrote the freight by another name", func(s *Snapshot) { s.Freight[0].Author = Actor{ID: bob.ID, Login: "rob"} }, "refused because forbidden not author"}, // T14
		{"of somebody else who has their old name", func(s *Snapshot) { s.Freight[0].Author = Actor{ID: 77, Login: bob.Login} }, "done"},
		{"that they asked for", func(s *Snapshot) { s.Promotions[0].By = bob }, "refused because forbidden not requester"},
		{"of freight that nobody knows", func(s *Snapshot) { s.Freight = nil }, "done"},
	} {
		s := inState(WaitingForMerge)
		s.Freight[0].Author = ann
		c.set(s)
		require.Equal(t, c.want, answer(saysAs(s, bob, Write, "/approve dev")), c.name)
	}
}

func TestTheWholePipelineIsHeldWithOneRightAndLetGoWithAll(t *testing.T) {
	only := func(stage string) []Rule { return []Rule{{Stages: []string{stage}}} }
	for _, c := range []struct {
		may  []Rule
		text string
		want string
	}{
		{only("dev"), "/hold --all", "done"}, {only("prod"), "/hold --all", "done"}, {only("prod"), "/hold the horses", "done"},
		{only("qa"), "/hold --all", "refused because forbidden nobody"},
		{only("dev"), "/unhold --all", "refused because forbidden nobody"}, {only("prod"), "/unhold --all", "refused because forbidden nobody"},
		{[]Rule{{}}, "/unhold --all", "already"},
	} {
		s := inState(Succeeded)
		s.Pipeline.Policy.May = map[CommandVerb][]Rule{CmdHold: c.may, CmdUnhold: c.may}
		require.Equal(t, c.want, answer(saysAs(s, bob, Read, c.text)), "%v %s", c.may, c.text)
	}
}

func TestPermissionsAreOrderedAndSpeltAsGitHubDoes(t *testing.T) {
	for p := Unasked; p <= Admin; p++ {
		got, known := ParsePermission(p.String())
		require.True(t, known)
		require.Equal(t, p, got)
	}
	require.Less(t, Read, Triage)
	require.Less(t, Triage, Write)
	got, known := ParsePermission("owner")
	require.False(t, known)
	require.Equal(t, NoPermission, got)
}

func TestWhoIsWho(t *testing.T) { // T14
	require.True(t, Actor{ID: 3, Login: "ann"}.Is(Actor{ID: 3, Login: "ann-b"}))
	require.False(t, Actor{ID: 3, Login: "ann"}.Is(Actor{ID: 4, Login: "ann"}))
	require.False(t, Actor{ID: 3, Login: "ann"}.Is(Actor{Login: "ann"}))
	require.False(t, Actor{Login: "ann"}.Is(Actor{ID: 3, Login: "ann"}))
	require.True(t, Actor{Login: "ann"}.Is(Actor{Login: "ann"}))
	require.False(t, Actor{Login: "ann"}.Is(Actor{Login: "bob"}))
	require.True(t, Actor{}.Bot())
	require.False(t, Actor{ID: 3}.Bot())
	require.False(t, Actor{Login: "ann"}.Bot())
}

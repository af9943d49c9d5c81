package command_test

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"

	"github.com/stretchr/testify/require"
)

var verbs = []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdRollback, promotion.CmdHold, promotion.CmdUnhold,
	promotion.CmdCancel, promotion.CmdRetry, promotion.CmdVerify, promotion.CmdVerdict, promotion.CmdApprove,
	promotion.CmdDeny, promotion.CmdAdmit}

// asks is a request as a person types it, with the person's permission.
func asks(s *promotion.Snapshot, who promotion.Actor, has promotion.Permission, text string) promotion.Request {
	c, _ := command.ParseCommand(text)
	_, c = command.Address(s.Pipeline, c)
	return promotion.Request{Command: c, By: who, Permission: has}
}

// forbidden returns why a person may not give a command, as stories print it; "" if the person may.
func forbidden(s *promotion.Snapshot, who promotion.Actor, has promotion.Permission, text string) string {
	return command.Forbids(s, asks(s, who, has, text)).String()
}

// sentence is a complete command with this verb.
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
				got := forbidden(fixture.InState(promotion.WaitingForMerge), fixture.Bob, p, sentence(v))
				switch {
				case v == promotion.CmdAdmit || v == promotion.CmdVerdict:
					require.Equal(t, "forbidden nobody", got)
				case p < promotion.Write:
					require.Equal(t, "forbidden write", got)
				default:
					require.Empty(t, got)
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
			"forbidden nobody"},
		{"nobody, when no entry is about the stage", []promotion.Rule{{Stages: []string{"prod"}}}, promotion.Admin, nil,
			"forbidden nobody"},
		{"everybody, when an entry asks for nothing", []promotion.Rule{{}}, promotion.NoPermission, nil, ""},
		{"who has the permission", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Maintain, nil, ""},
		{"who has more", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Admin, nil, ""},
		{"not who has less", []promotion.Rule{{Permission: promotion.Maintain}}, promotion.Write, nil,
			"forbidden maintain"},
		{"who is in one of the teams", []promotion.Rule{{Teams: []string{"sre", "lead"}}}, promotion.Read,
			[]string{"web", "Lead"}, ""},
		{"not who is in none", []promotion.Rule{{Teams: []string{"sre", "lead"}}}, promotion.Admin, []string{"web"},
			"forbidden sre lead"},
		{"not who has the team without the permission",
			[]promotion.Rule{{Permission: promotion.Write, Teams: []string{"sre"}}}, promotion.Read, []string{"sre"},
			"forbidden write"},
		{"the first entry about the stage alone",
			[]promotion.Rule{{Stages: []string{"d*"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			"forbidden admin"},
		{"an entry about another stage is passed over",
			[]promotion.Rule{{Stages: []string{"prod", "qa"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			""},
		{"an entry that lists the stage among others",
			[]promotion.Rule{{Stages: []string{"prod", "dev"}, Permission: promotion.Admin}, {}}, promotion.Write, nil,
			"forbidden admin"},
	} {
		s := fixture.InState(promotion.Failed)
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdPromote: c.rules}
		r := asks(s, fixture.Bob, c.has, "/promote dev")
		r.Teams = c.teams
		require.Equal(t, c.want, command.Forbids(s, r).String(), c.name)
		require.Equal(t, c.want == "",
			command.Entitles(s.Pipeline.Policy, promotion.CmdPromote, "dev", c.has, c.teams), c.name)
	}
}

func TestNobodyApprovesTheirOwn(t *testing.T) { // T15
	for _, c := range []struct {
		name string
		set  func(*promotion.Snapshot)
		want string
	}{
		{"somebody else's", func(*promotion.Snapshot) {}, ""},
		{"of which they wrote the freight", func(s *promotion.Snapshot) { s.Freight[0].Author = fixture.Bob },
			"forbidden not author"},
		// T14
		{"of which they wrote the freight by another name",
			func(s *promotion.Snapshot) { s.Freight[0].Author = promotion.Actor{ID: fixture.Bob.ID, Login: "rob"} },
			"forbidden not author"},
		{"of somebody else who has their old name",
			func(s *promotion.Snapshot) { s.Freight[0].Author = promotion.Actor{ID: 77, Login: fixture.Bob.Login} }, ""},
		{"that they asked for", func(s *promotion.Snapshot) { s.Promotions[0].By = fixture.Bob },
			"forbidden not requester"},
		{"of freight that nobody knows", func(s *promotion.Snapshot) { s.Freight = nil }, ""},
	} {
		s := fixture.InState(promotion.WaitingForMerge)
		s.Freight[0].Author = fixture.Ann
		c.set(s)
		require.Equal(t, c.want, forbidden(s, fixture.Bob, promotion.Write, "/approve dev"), c.name)
	}
}

func TestTheWholePipelineIsHeldWithOneRightAndLetGoWithAll(t *testing.T) {
	only := func(stage string) []promotion.Rule { return []promotion.Rule{{Stages: []string{stage}}} }
	for _, c := range []struct {
		may  []promotion.Rule
		text string
		want string
	}{
		{only("dev"), "/hold --all", ""}, {only("prod"), "/hold --all", ""},
		{only("prod"), "/hold the horses", ""},
		{only("qa"), "/hold --all", "forbidden nobody"},
		{only("dev"), "/unhold --all", "forbidden nobody"},
		{only("prod"), "/unhold --all", "forbidden nobody"},
		{[]promotion.Rule{{}}, "/unhold --all", ""},
	} {
		s := fixture.InState(promotion.Succeeded)
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdHold: c.may,
			promotion.CmdUnhold: c.may}
		require.Equal(t, c.want, forbidden(s, fixture.Bob, promotion.Read, c.text), "%v %s", c.may, c.text)
	}
}

// TestWhoHeldTheWholePipelineByMistakeLiftsThat has somebody who may hold and unhold dev alone misspell it: what names
// no stage holds the whole pipeline.
func TestWhoHeldTheWholePipelineByMistakeLiftsThat(t *testing.T) { // semantics 4.2
	own := promotion.Hold{ID: 1, By: fixture.Bob}
	for _, c := range []struct {
		name  string
		holds []promotion.Hold
		may   string
		want  string
	}{
		{"their own", []promotion.Hold{own}, "dev", ""},
		{"their own, beside one of somebody else in a stage",
			[]promotion.Hold{own, {ID: 2, Stage: "prod", By: fixture.Ann}}, "dev", ""},
		{"their own, beside one that is over",
			[]promotion.Hold{own, {ID: 2, By: fixture.Ann, Until: fixture.Noon.Add(-time.Minute)}}, "dev", ""},
		{"their own, and they may in no stage", []promotion.Hold{own}, "qa", "forbidden nobody"},
		{"their own and that of somebody else", []promotion.Hold{own, {ID: 2, By: fixture.Ann}}, "dev", "forbidden nobody"},
		{"that of somebody else", []promotion.Hold{{ID: 1, By: fixture.Ann}}, "dev", "forbidden nobody"},
		{"none", nil, "dev", "forbidden nobody"},
	} {
		s := fixture.InState(promotion.Succeeded)
		s.Holds = c.holds
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
			promotion.CmdUnhold: {{Stages: []string{c.may}}}}
		r := asks(s, fixture.Bob, promotion.Read, "/unhold --all")
		r.At = fixture.Noon
		require.Equal(t, c.want, command.Forbids(s, r).String(), c.name)
	}
}

// TestARuleThatNarrowsGivesNoRights holds rules of the server against the defaults, and against rules of the
// repository.
func TestARuleThatNarrowsGivesNoRights(t *testing.T) {
	anybody := []promotion.Rule{{Name: "server:1", Permission: promotion.Read}}
	for _, verb := range []promotion.CommandVerb{promotion.CmdApprove, promotion.CmdPromote, promotion.CmdAdmit} {
		p := promotion.Policy{May: map[promotion.CommandVerb][]promotion.Rule{verb: anybody}}
		require.True(t, command.Entitles(p, verb, "dev", promotion.Read, nil), "a rule of the repository: %s", verb)
		p.Narrows = map[promotion.CommandVerb]bool{verb: true}
		require.False(t, command.Entitles(p, verb, "dev", promotion.Read, nil), verb)
		require.Equal(t, verb != promotion.CmdAdmit, command.Entitles(p, verb, "dev", promotion.Write, nil), verb)
	}
	p := promotion.Policy{
		May:     map[promotion.CommandVerb][]promotion.Rule{promotion.CmdUnhold: anybody, promotion.CmdApprove: anybody},
		Narrows: map[promotion.CommandVerb]bool{promotion.CmdUnhold: true, promotion.CmdApprove: true},
	}
	ann, bob := promotion.Actor{ID: 1, Login: "ann"}, promotion.Actor{ID: 2, Login: "bob"}
	lifts := promotion.Request{By: bob, Permission: promotion.Write}
	require.False(t, command.MayLift(p, &promotion.Hold{By: ann}, lifts), "of somebody else's hold")
	require.True(t, command.MayLift(p, &promotion.Hold{By: bob}, lifts))
	for _, right := range command.Explain(p, "dev", promotion.Write, nil) {
		switch right.Verb {
		case promotion.CmdApprove:
			require.Equal(t, []string{"author", "requester"}, right.Not)
			require.Equal(t, "server:1", right.Rule)
		case promotion.CmdUnhold:
			require.True(t, right.Own)
		}
	}
}

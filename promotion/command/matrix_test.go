package command_test

import (
	"fmt"
	"testing"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// T13: the permissions of each command. A row is a verb, a column a permission as GitHub spells it; "custom" is a role
// that an organization has defined, which counts as its base role, here write. dev has the defaults; prod has rules in
// the policy file. y is yes, n is no.
func TestThePermissionMatrixT13(t *testing.T) {
	columns := []string{"unasked", "none", "read", "triage", "write", "maintain", "admin", "custom"}
	for _, row := range []struct {
		stage promotion.StageName
		verb  promotion.CommandVerb
		may   string
	}{
		{"dev", promotion.CmdPromote, "nnnnyyyy"}, {"dev", promotion.CmdRollback, "nnnnyyyy"},
		{"dev", promotion.CmdHold, "nnnnyyyy"}, {"dev", promotion.CmdUnhold, "nnnnyyyy"},
		{"dev", promotion.CmdCancel, "nnnnyyyy"}, {"dev", promotion.CmdRetry, "nnnnyyyy"},
		{"dev", promotion.CmdVerify, "nnnnyyyy"}, {"dev", promotion.CmdApprove, "nnnnyyyy"},
		{"dev", promotion.CmdDeny, "nnnnyyyy"}, {"dev", promotion.CmdAdmit, "nnnnnnnn"},
		{"dev", promotion.CmdVerdict, "nnnnnnnn"},
		{"dev", promotion.CmdStatus, "nnyyyyyy"}, {"dev", promotion.CmdWhy, "nnyyyyyy"},
		{"dev", promotion.CmdPlan, "nnyyyyyy"}, {"dev", promotion.CmdHistory, "nnyyyyyy"},
		{"dev", promotion.CmdWhere, "nnyyyyyy"}, {"dev", promotion.CmdHelp, "nnyyyyyy"},
		{"dev", promotion.CmdRefresh, "nnnnyyyy"},
		{"prod", promotion.CmdPromote, "nnnnnyyn"}, {"prod", promotion.CmdHold, "nnnyyyyy"},
		{"prod", promotion.CmdApprove, "nnnnnnyn"}, {"prod", promotion.CmdAdmit, "nnnnnyyn"},
		{"prod", promotion.CmdVerdict, "nnnnnnyn"}, {"prod", promotion.CmdRollback, "nnnnnnnn"},
		{"prod", promotion.CmdStatus, "nyyyyyyy"}, {"prod", promotion.CmdWhy, "nnyyyyyy"},
	} {
		for i, name := range columns {
			permission := promotion.Write
			if name != "custom" {
				permission, _ = promotion.ParsePermission(name)
			}
			t.Run(fmt.Sprintf("%s may %s in %s", name, row.verb, row.stage), func(t *testing.T) {
				s := fixture.InState(promotion.WaitingForMerge)
				s.Pipeline.Policy.May = atProd
				s.Stage = s.Pipeline.Stage(row.stage)
				r := promotion.Request{Command: promotion.Command{Verb: row.verb, Stage: row.stage}, By: fixture.Bob,
					Permission: permission}
				why := command.Forbids(s, r)
				require.Equal(t, row.may[i] == 'y', why.IsZero(), why)
				require.Equal(t, why.IsZero(),
					command.Entitles(s.Pipeline.Policy, row.verb, row.stage, permission, nil))
				if permission == promotion.Unasked {
					require.Contains(t, say.Sentence(why), "may")
				}
			})
		}
	}
}

// atProd has rules for prod and leaves dev with the defaults.
var atProd = map[promotion.CommandVerb][]promotion.Rule{
	promotion.CmdPromote:  {{Stages: []string{"prod"}, Permission: promotion.Maintain}, {Permission: promotion.Write}},
	promotion.CmdHold:     {{Stages: []string{"prod"}, Permission: promotion.Triage}, {Permission: promotion.Write}},
	promotion.CmdApprove:  {{Stages: []string{"prod"}, Permission: promotion.Admin}, {Permission: promotion.Write}},
	promotion.CmdAdmit:    {{Stages: []string{"prod"}, Permission: promotion.Maintain}},
	promotion.CmdVerdict:  {{Stages: []string{"prod"}, Permission: promotion.Admin}},
	promotion.CmdRollback: {{Stages: []string{"dev"}, Permission: promotion.Write}},
	promotion.CmdStatus:   {{Stages: []string{"prod"}}, {Permission: promotion.Read}},
}

// T15: a policy may forbid sign-offs by people with a part in the promotion.
func TestWhoPlaysAPartMayBeKeptFromSigningOffT15(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*promotion.Snapshot)
		want string
	}{
		{"nobody", func(*promotion.Snapshot) {}, ""},
		{"the author", func(s *promotion.Snapshot) { s.Freight[0].Author = fixture.Bob },
			"forbidden not author"},
		{"the requester", func(s *promotion.Snapshot) { s.Promotions[0].By = fixture.Bob },
			"forbidden not requester"},
		{"who pushed last and put it back", func(s *promotion.Snapshot) { s.Pulls[0].Pusher = fixture.Bob },
			"forbidden not last-pusher"},
		{"who pushed last by another name",
			func(s *promotion.Snapshot) { s.Pulls[0].Pusher = promotion.Actor{ID: fixture.Bob.ID, Login: "rob"} },
			"forbidden not last-pusher"},
	} {
		s := fixture.InState(promotion.WaitingForMerge)
		s.Freight[0].Author = fixture.Ann
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdApprove: {
			{Permission: promotion.Write, Not: []string{"author", "requester", "last-pusher"}}}}
		c.set(s)
		require.Equal(t, c.want, forbidden(s, fixture.Bob, promotion.Write, "/approve dev"), c.name)
	}
}

// A rule that leaves out who has made the freight is about the freight that the command names, not about the one that
// the stage is busy with.
func TestWhoIsLeftOutHasAPartInTheFreightThatIsNamed(t *testing.T) {
	s := fixture.InState(promotion.WaitingForMerge)
	s.Freight[0].Author = fixture.Ann
	other := s.Freight[0]
	other.ID, other.Name, other.Author = "api@99", "api#99", fixture.Bob
	s.Freight = append(s.Freight, other)
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{}
	for _, verb := range []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdAdmit, promotion.CmdVerdict} {
		s.Pipeline.Policy.May[verb] = []promotion.Rule{{Permission: promotion.Write, Not: []string{"author"}}}
	}
	for _, text := range []string{
		"/promote dev %s", `/admit %s dev --because "x"`, `/reject %s dev --because "x"`, "/unreject %s dev", "/fixes %s",
	} {
		mine, others := fmt.Sprintf(text, "api#99"), fmt.Sprintf(text, s.Freight[0].Name)
		require.Equal(t, "forbidden not author", forbidden(s, fixture.Bob, promotion.Write, mine))
		require.Empty(t, forbidden(s, fixture.Bob, promotion.Write, others))
		require.Equal(t, "forbidden not author", forbidden(s, fixture.Ann, promotion.Write, others))
		require.Empty(t, forbidden(s, fixture.Ann, promotion.Write, mine))
	}
}

// A verdict is about what the stage hosts, also when nothing is on its way there.
func TestWhoIsLeftOutHasNoPartInWhatIsJudged(t *testing.T) {
	s := fixture.InState(promotion.VerificationFailed)
	s.Freight[0].Author = fixture.Bob
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdVerdict: {{Permission: promotion.Write, Not: []string{"author"}}}}
	text := `/verdict dev pass --because "x"`
	require.Equal(t, "forbidden not author", forbidden(s, fixture.Bob, promotion.Write, text))
	require.Empty(t, forbidden(s, fixture.Ann, promotion.Write, text))
}

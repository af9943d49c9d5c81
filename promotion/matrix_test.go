package promotion

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// T13: who may do what where. A row is a verb, a column a permission as GitHub spells it; "custom" is a role that an
// organization has made up, which counts as what it is based on, here write. dev has the defaults; of prod the policy file
// says more. y is yes, n is no.
func TestThePermissionMatrixT13(t *testing.T) {
	columns := []string{"unasked", "none", "read", "triage", "write", "maintain", "admin", "custom"}
	for _, row := range []struct {
		stage StageName
		verb  CommandVerb
		may   string
	}{
		{"dev", CmdPromote, "nnnnyyyy"}, {"dev", CmdRollback, "nnnnyyyy"}, {"dev", CmdHold, "nnnnyyyy"}, {"dev", CmdUnhold, "nnnnyyyy"},
		{"dev", CmdCancel, "nnnnyyyy"}, {"dev", CmdRetry, "nnnnyyyy"}, {"dev", CmdVerify, "nnnnyyyy"}, {"dev", CmdApprove, "nnnnyyyy"},
		{"dev", CmdDeny, "nnnnyyyy"}, {"dev", CmdAdmit, "nnnnnnnn"}, {"dev", CmdVerdict, "nnnnnnnn"},
		{"dev", CmdStatus, "nnyyyyyy"}, {"dev", CmdWhy, "nnyyyyyy"}, {"dev", CmdPlan, "nnyyyyyy"}, {"dev", CmdHistory, "nnyyyyyy"},
		{"dev", CmdWhere, "nnyyyyyy"}, {"dev", CmdHelp, "nnyyyyyy"}, {"dev", CmdRefresh, "nnnnyyyy"},
		{"prod", CmdPromote, "nnnnnyyn"}, {"prod", CmdHold, "nnnyyyyy"}, {"prod", CmdApprove, "nnnnnnyn"}, {"prod", CmdAdmit, "nnnnnyyn"},
		{"prod", CmdVerdict, "nnnnnnyn"}, {"prod", CmdRollback, "nnnnnnnn"}, {"prod", CmdStatus, "nyyyyyyy"}, {"prod", CmdWhy, "nnyyyyyy"},
	} {
		for i, name := range columns {
			permission := Write
			if name != "custom" {
				permission, _ = ParsePermission(name)
			}
			t.Run(fmt.Sprintf("%s may %s in %s", name, row.verb, row.stage), func(t *testing.T) {
				w := newWork(inState(WaitingForMerge), noon)
				w.Pipeline.Policy.May = atProd
				w.Stage = w.Pipeline.Stage(row.stage)
				r := Request{Command: Command{Verb: row.verb, Stage: row.stage}, By: bob, Permission: permission}
				why := w.mayNot(r)
				require.Equal(t, row.may[i] == 'y', why.IsZero(), why)
				require.Equal(t, why.IsZero(), w.Pipeline.Policy.Entitles(row.verb, row.stage, permission, nil))
				if permission == Unasked {
					require.Contains(t, why.Sentence(), "may")
				}
			})
		}
	}
}

// atProd says more about prod and leaves dev as it is by default.
var atProd = map[CommandVerb][]Rule{
	CmdPromote:  {{Stages: []string{"prod"}, Permission: Maintain}, {Permission: Write}},
	CmdHold:     {{Stages: []string{"prod"}, Permission: Triage}, {Permission: Write}},
	CmdApprove:  {{Stages: []string{"prod"}, Permission: Admin}, {Permission: Write}},
	CmdAdmit:    {{Stages: []string{"prod"}, Permission: Maintain}},
	CmdVerdict:  {{Stages: []string{"prod"}, Permission: Admin}},
	CmdRollback: {{Stages: []string{"dev"}, Permission: Write}},
	CmdStatus:   {{Stages: []string{"prod"}}, {Permission: Read}},
}

// T15: who plays a part in a promotion may be kept from signing it off.
func TestWhoPlaysAPartMayBeKeptFromSigningOffT15(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Snapshot)
		want string
	}{
		{"nobody", func(*Snapshot) {}, "done"},
		{"the author", func(s *Snapshot) { s.Freight[0].Author = bob }, "refused because forbidden not author"},
		{"the requester", func(s *Snapshot) { s.Promotions[0].By = bob }, "refused because forbidden not requester"},
		{"who pushed last and put it back", func(s *Snapshot) { s.Pulls[0].Pusher = bob }, "refused because forbidden not last-pusher"},
		{"who pushed last by another name", func(s *Snapshot) { s.Pulls[0].Pusher = Actor{ID: bob.ID, Login: "rob"} }, "refused because forbidden not last-pusher"},
	} {
		s := inState(WaitingForMerge)
		s.Freight[0].Author = ann
		s.Pipeline.Policy.May = map[CommandVerb][]Rule{CmdApprove: {{Permission: Write, Not: []string{"author", "requester", "last-pusher"}}}}
		c.set(s)
		require.Equal(t, c.want, answer(saysAs(s, bob, Write, "/approve dev")), c.name)
	}
}

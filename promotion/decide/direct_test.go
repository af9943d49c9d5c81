package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/deliver"

	"github.com/stretchr/testify/require"
)

// committing is p1 of a stage without pull requests, with a plan.
func committing() *promotion.Snapshot {
	s := inState(promotion.Running)
	s.Stage.Delivery = promotion.DeliveryCommit
	return s
}

func TestACommitTakesThePlaceOfAPullRequest(t *testing.T) {
	s := committing()
	d := Decide(s, noon)
	require.Equal(t, "commit p1", told(d))
	require.EqualValues(t, "commit/1/1", d.Wanted[0].Key())
	require.False(t, d.Wanted[0].Verb.Is(promotion.Owed))

	a := &s.Attempts[0]
	require.True(t, a.BeginCommit(0, 1))
	a.Deliver(promotion.Made{Round: 1, Base: "b0", Head: "c1", At: noon.Add(-time.Second)})
	d = Decide(s, noon)
	require.Equal(t, "p1 verifying", told(d))
	p, deployment := d.Promotions[0], d.Deployments[0]
	require.Equal(t, []any{promotion.SHA("c1"), a.Made.At}, []any{p.MergeSHA, p.Merged})
	require.Equal(t, []any{promotion.SHA("c1"), a.Made.At, "h1"},
		[]any{deployment.Commit, deployment.Entered, deployment.Plan})
	require.Zero(t, deployment.Since, "the commit was made for it: nothing has run on it before")
}

func TestABranchThatHasMovedIsPlannedForAnewF15(t *testing.T) {
	s := committing()
	a := &s.Attempts[0]
	for round := 1; round < deliver.MaxRounds; round++ {
		a.Plan.Round, a.Late = round, round
		d := Decide(s, noon)
		require.Equal(t, "plan p1", told(d))
		require.EqualValues(t, round+1, d.Wanted[0].Round)
		a.Plan.Round = round + 1
		require.Equal(t, "commit p1", told(Decide(s, noon)))
	}
	a.Plan.Round, a.Late = deliver.MaxRounds, deliver.MaxRounds
	require.Equal(t, "p1 failed because conflict dev.yaml, tell failed, close p1", told(Decide(s, noon)))
}

func TestWhatTheNewBaseSaysAlreadyIsNotCommitted(t *testing.T) {
	s := committing()
	s.Attempts[0].Late = 1
	s.Attempts[0].Plan = &promotion.Plan{Round: 2, Base: "b1", At: noon}
	require.Equal(t, "p1 verifying because no-change, close p1, observe p1", told(Decide(s, noon)))
}

// TestNothingEndsWhatMayBeOnTheBranchF2: while it is unknown whether the commit is on the branch, no event ends the
// promotion, and the commit stays wanted.
func TestNothingEndsWhatMayBeOnTheBranchF2(t *testing.T) {
	for name, happens := range map[string]func(s *promotion.Snapshot){
		"nothing":              func(*promotion.Snapshot) {},
		"a cancel":             ask(promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"}),
		"a rollback":           ask(promotion.Command{Verb: promotion.CmdRollback, Stage: "dev", Freight: "api#1"}),
		"an unhold":            ask(promotion.Command{Verb: promotion.CmdUnhold, Stage: "dev"}),
		"the stage is removed": func(s *promotion.Snapshot) { s.Removed = true },
		"a hold": func(s *promotion.Snapshot) {
			s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", At: noon}}
		},
		"pull requests again": func(s *promotion.Snapshot) { s.Stage.Delivery = promotion.DeliveryPullRequest },
		"no such warehouse":   func(s *promotion.Snapshot) { s.Stage.From = nil },
		"a newer plan fails": func(s *promotion.Snapshot) {
			s.Attempts[0].Plan.Problem = promotion.Because(promotion.Unreadable, "dev.yaml")
		},
		"newer freight": func(s *promotion.Snapshot) {
			s.Stage.Policy.Automatic, s.Stage.Merge.By = true, promotion.MergeManual
			s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := committing()
			s.Attempts[0].BeginCommit(0, 1)
			happens(s)
			d := Decide(s, noon)
			require.True(t, strings.HasSuffix(told(d), "commit p1"), told(d))
			require.NotContains(t, told(d), "p1 ", "nothing becomes of p1")
			require.Empty(t, d.Answered)
			require.EqualValues(t, 1, d.Wanted[0].Round)
		})
	}
}

func TestAHoldIsTakenDownWhileACommitIsOnItsWay(t *testing.T) {
	s := committing()
	s.Attempts[0].BeginCommit(0, 1)
	ask(promotion.Command{Verb: promotion.CmdHold, Stage: "dev"})(s)
	require.Equal(t, "held, reply done, commit p1", told(Decide(s, noon)))
}

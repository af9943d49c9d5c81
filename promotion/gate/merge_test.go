package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// opened is a snapshot of dev with promotion 1's pull request, which requires this many sign-offs.
func opened(needs int) *promotion.Snapshot {
	s := fixture.InState(promotion.WaitingForMerge)
	s.Stage.Policy.Approvals = needs
	return s
}

// sign adds a sign-off of promotion 1's visible plan, valid until an hour after noon.
func sign(s *promotion.Snapshot, by promotion.Actor) {
	s.Approvals = append(s.Approvals, promotion.Approval{
		Kind: promotion.SignOff, Freight: s.Freight[0].ID, By: by,
		Plan:    gate.KeeperOf(s, noon).Visible(&s.Promotions[0]),
		Expires: noon.Add(time.Hour), Entitled: true,
	})
}

func TestAPersonCountsOnceAmongTheSignOffs(t *testing.T) {
	s := opened(3)
	p := &s.Promotions[0]
	require.Equal(t, 3, gate.KeeperOf(s, noon).Unsigned(p))
	sign(s, fixture.Ann)
	sign(s, fixture.Ann)
	sign(s, fixture.Bob)
	k := gate.KeeperOf(s, noon)
	require.Equal(t, 1, k.Unsigned(p))
	require.True(t, k.SignedOff(p))
	require.True(t, k.HasSigned(p, fixture.Bob))
	require.False(t, k.HasSigned(p, promotion.Actor{ID: 77, Login: "cleo"}))
	require.Equal(t, 3, gate.KeeperOf(s, noon.Add(time.Hour)).Unsigned(p), "they have expired")
	s.Attempts[0].Made.Head = "h2"
	require.Equal(t, 3, k.Unsigned(p), "the pull request shows something else")
	require.False(t, k.SignedOff(p))
}

func TestARolloutAsksForTheSignOffsOfTheStageOnceAndOfEachBatchOnce(t *testing.T) {
	s := opened(1)
	p := &s.Promotions[0]
	p.Rollout = &promotion.Rollout{Batches: []promotion.Batch{{Name: "b1"}, {Name: "b2", Approvals: 2}}, Step: 1}
	k := gate.KeeperOf(s, noon)
	require.Equal(t, 1, k.Unsigned(p))
	p.Rollout.Step, p.Rollout.Merged, p.Rollout.Entered = 2, 1, []int{0}
	require.Zero(t, k.Unsigned(p), "the stage has asked, and the batch does not")
	p.Rollout.Batch = 1
	require.Equal(t, 2, k.Unsigned(p))
	p.Rollout.Step, p.Rollout.Merged, p.Rollout.Entered = 3, 2, []int{0, 1}
	require.Zero(t, k.Unsigned(p), "the batch has asked")
}

func TestWhatIsPreparedIsWithheld(t *testing.T) {
	s := opened(2)
	p := &s.Promotions[0]
	k := gate.KeeperOf(s, noon)
	withheld := func() string {
		why, until := k.Withheld(p)
		require.Zero(t, until)
		return why.String()
	}
	require.Equal(t, "unapproved 2", withheld())
	halted, _ := k.Halted(p)
	require.True(t, halted.IsZero(), "sign-offs are for what is merged")

	s.Stage = s.Pipeline.Stages[1]
	s.Records = [][]promotion.Record{{fixture.Bad}, nil}
	require.Equal(t, "failed dev e2e", withheld(), "it was good when it started")
	p.Class = promotion.Rollback
	require.Empty(t, withheld(), "a rollback needs no upstream")
	p.Class = promotion.Automatic

	p.Rollout = &promotion.Rollout{Batches: []promotion.Batch{{Name: "b1"}}, Paused: fixture.Ann}
	require.Equal(t, "paused ann", withheld())

	s.Holds = []promotion.Hold{{Stage: "prod", By: fixture.Bob, Until: noon.Add(time.Minute)}}
	why, until := k.Withheld(p)
	require.Equal(t, "held bob", why.String())
	require.Equal(t, noon.Add(time.Minute), until)
}

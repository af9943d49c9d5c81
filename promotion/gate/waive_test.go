package gate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// stays is a snapshot of dev, which had these freights of api one after the other, the last of which is there: "1"
// passed, "2-" failed, "3?" never got a verdict. The stage asks for two sign-offs.
func stays(of ...string) *promotion.Snapshot {
	s := fixture.InState(promotion.Succeeded)
	s.Stage.Policy.Approvals = 2
	s.Freight, s.Deployments, s.Promotions = nil, nil, nil
	for i := range 5 {
		s.Freight = append(s.Freight, fixture.FreightNo(s.Pipeline, i+1))
	}
	for i, one := range of {
		var f int
		_, err := fmt.Sscan(one[:1], &f)
		if err != nil {
			panic(err)
		}
		verdict := map[string]promotion.Verdict{"": promotion.Passed, "-": promotion.Bad, "?": promotion.Undecided}[one[1:]]
		d := promotion.Deployment{
			Promotion: promotion.Number(i + 1), Stage: "dev", Warehouse: "api", Freight: s.Freight[f-1].ID, Verdict: verdict,
			Entered: noon.Add(time.Duration(i) * time.Minute),
		}
		if i < len(of)-1 {
			d.Left = d.Entered.Add(time.Minute)
		}
		s.Deployments = append(s.Deployments, d)
	}
	return s
}

// rollback is promotion 20, back to the n-th freight.
func rollback(s *promotion.Snapshot, n int) *promotion.Promotion {
	s.Promotions = append(s.Promotions, promotion.Promotion{
		Number: 20, Stage: "dev", Freight: s.Freight[n-1].Ref(), Class: promotion.Rollback,
		State: promotion.WaitingForMerge,
	})
	return &s.Promotions[len(s.Promotions)-1]
}

func TestARollbackToWhatWasVerifiedLastNeedsNoSignOffs(t *testing.T) { // semantics 4.13
	for _, c := range []struct {
		name  string
		stays []string
		to    int
		want  bool
	}{
		{"to what was verified before", []string{"1", "2"}, 1, true},
		{"from what failed", []string{"1", "2-"}, 1, true},
		{"over what was never verified", []string{"1", "2?", "3"}, 1, true},
		{"over what failed", []string{"1", "2-", "3"}, 1, true},
		{"not further back", []string{"1", "2", "3"}, 1, false},
		{"not to what failed", []string{"1-", "2"}, 1, false},
		{"not to what was never here", []string{"1", "3"}, 2, false},
		{"not where nothing was before", []string{"2"}, 1, false},
		{"not a second time", []string{"1", "2", "3", "2"}, 1, false},
		{"not a second time after the same came again", []string{"1", "2", "3", "2", "2"}, 1, false},
		{"not a second time from what failed", []string{"1", "2", "3-", "2"}, 1, false},
		{"not forward", []string{"1", "3", "1"}, 3, false},
		{"again when something has gone forward", []string{"1", "3", "1", "4"}, 1, true},
		{"as often as something goes forward", []string{"1", "2", "1", "3", "1", "4"}, 1, true},
		{"not to newer freight that was verified last", []string{"1", "3", "1-", "2"}, 3, false},
	} {
		s := stays(c.stays...)
		p := rollback(s, c.to)
		k := gate.KeeperOf(s, noon)
		require.Equal(t, c.want, k.Waived(p), c.name)
		require.Equal(t, map[bool]int{true: 0, false: 2}[c.want], k.Unsigned(p), c.name)
	}
}

func TestOnlyARollbackIsSparedSignOffs(t *testing.T) { // semantics 4.13
	s := stays("1", "2")
	p := rollback(s, 1)
	for class, want := range map[promotion.Class]bool{promotion.Rollback: true, promotion.Manual: false,
		promotion.Automatic: false} {
		p.Class = class
		require.Equal(t, want, gate.KeeperOf(s, noon).Waived(p), class)
	}
	p.Class, s.Stage.Policy.SignRollbacks = promotion.Rollback, true
	require.Equal(t, 2, gate.KeeperOf(s, noon).Unsigned(p), "the policy says so")
	s.Stage.Policy.SignRollbacks, s.Rejects = false, []promotion.Reject{{From: s.Freight[0].Mark()}}
	require.False(t, gate.KeeperOf(s, noon).Waived(p), "it is rejected")
	s.Rejects = nil
	s.Deployments = s.Deployments[:1]
	s.Deployments[0].Left = noon
	require.False(t, gate.KeeperOf(s, noon).Waived(p), "the stage hosts nothing that it would leave")
}

func TestWhatWasTakenBackIsNotGoneBackToWithoutSignOffs(t *testing.T) { // semantics 4.13
	s := stays("1", "2", "1-", "3")
	p := rollback(s, 2)
	require.True(t, gate.KeeperOf(s, noon).Waived(p))
	s.Promotions = append(s.Promotions, promotion.Promotion{Number: 3, Freight: s.Freight[0].Ref(),
		Class: promotion.Rollback, State: promotion.VerificationFailed, Merged: s.Deployments[2].Entered})
	require.False(t, gate.KeeperOf(s, noon).Waived(&s.Promotions[0]), "people took it away")
}

func TestARolloutBackIsSparedTheSignOffsOfItsBatches(t *testing.T) { // semantics 4.13
	s := stays("1", "2")
	p := rollback(s, 1)
	batches := []promotion.Batch{{Name: "a", Approvals: 1}, {Name: "b", Approvals: 3}}
	p.Rollout = &promotion.Rollout{Batches: batches, Step: 1}
	require.Zero(t, gate.KeeperOf(s, noon).Unsigned(p))
	p.Rollout.Step, p.Rollout.Batch, p.Rollout.Merged, p.Rollout.Entered = 2, 1, 1, []int{0}
	s.Deployments[1].Left = noon
	s.Deployments = append(s.Deployments, promotion.Deployment{
		Promotion: 20, Stage: "dev", Warehouse: "api", Freight: s.Freight[0].ID, Entered: noon,
	})
	require.Zero(t, gate.KeeperOf(s, noon).Unsigned(p), "its own first step is nothing that it leaves")
	s.Stage.Policy.SignRollbacks = true
	require.Equal(t, 3, gate.KeeperOf(s, noon).Unsigned(p))
}

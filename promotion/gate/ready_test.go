package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// asking is a snapshot of dev with two targets, of which t1 requires the status "up". GitHub answered some time before
// noon that the status is missing.
func asking(t *testing.T, ago time.Duration) *promotion.Snapshot {
	s := fixture.InState(promotion.Queued)
	s.Pipeline = fixture.Clusters(t, [2]int{2, 1})
	s.Stage = s.Pipeline.Stages[0]
	s.Stage.Targets[0].Ready = []promotion.Condition{{Kind: promotion.KindStatus, Name: "up"}}
	answer := s.Stage.Answers(nil, noon.Add(-ago))
	s.Readiness = &answer
	return s
}

func TestHowLongAnAnswerOfGitHubLasts(t *testing.T) {
	for _, c := range []struct {
		name  string
		ago   time.Duration
		tries int
		stale bool
		known bool
		until time.Duration // after noon
	}{
		{"for a minute", 20 * time.Second, 0, false, true, 40 * time.Second},
		{"and no longer", time.Minute, 0, false, false, 0},
		{"for two when it was the same again", time.Minute, 1, false, true, time.Minute},
		{"for an hour at most", 59 * time.Minute, 40, false, true, time.Minute},
		{"not when something was reported since", time.Second, 9, true, false, 0},
	} {
		s := asking(t, c.ago)
		s.Readiness.Tries, s.Readiness.Stale = c.tries, c.stale
		known, until := gate.KeeperOf(s, noon).Known()
		require.Equal(t, c.known, known, c.name)
		if known {
			require.Equal(t, noon.Add(c.until), until, c.name)
		}
		p := &s.Promotions[0]
		steps := gate.KeeperOf(s, noon).Informed(p, []promotion.TargetName{"t1"}, nil)
		require.Equal(t, c.ago < time.Minute && !c.stale, steps, "%s; a step begins with an answer of the last minute",
			c.name)
		require.True(t, gate.KeeperOf(s, noon).Informed(p, []promotion.TargetName{"t2"}, nil), "it must show nothing")
	}
	s := asking(t, time.Second)
	s.Readiness = nil
	known, _ := gate.KeeperOf(s, noon).Known()
	require.False(t, known, "GitHub was never asked")
}

func TestATargetIsUnreadyWhenItIsHeldOrLacksSomething(t *testing.T) {
	s := asking(t, time.Second)
	p, k := &s.Promotions[0], gate.KeeperOf(s, noon)
	require.True(t, k.Unready(p, "t1"))
	require.False(t, k.Unready(p, "t2"))
	s.Holds = []promotion.Hold{{Stage: "dev", Target: "t2"}}
	require.True(t, k.Unready(p, "t2"))
	p.Class = promotion.Rollback
	require.False(t, k.Unready(p, "t1"), "what a rollback is to mend may be why")
}

func TestNothingStartsWhileNoTargetIsReady(t *testing.T) {
	s := asking(t, 90*time.Second)
	s.Readiness.Tries = 1
	p, k := &s.Promotions[0], gate.KeeperOf(s, noon)
	ends := &promotion.Rollout{Waiting: []promotion.TargetName{"t1"}}
	why, until := k.NoneReady(p, ends, false)
	require.Equal(t, "not-ready status up has not been reported", why.String())
	require.Equal(t, noon.Add(30*time.Second), until)

	why, until = k.NoneReady(p, &promotion.Rollout{Targets: []promotion.TargetName{"t1"}}, true)
	require.Equal(t, "waiting", why.String(), "the answer is too old for a step")
	require.Zero(t, until)

	why, _ = k.NoneReady(p, &promotion.Rollout{Targets: []promotion.TargetName{"t2"}}, true)
	require.True(t, why.IsZero())
	why, _ = k.NoneReady(p, &promotion.Rollout{}, false)
	require.True(t, why.IsZero(), "no target asks for anything")

	s.Readiness.Stale = true
	why, until = k.NoneReady(p, ends, false)
	require.Equal(t, "waiting", why.String())
	require.Zero(t, until)
}

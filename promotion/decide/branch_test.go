package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// TestWhatWasBegunWhereTheFilesWereIsEnded in each state: open pull requests are closed, merges stay.
func TestWhatWasBegunWhereTheFilesWereIsEnded(t *testing.T) {
	for state, closes := range map[promotion.State]int{promotion.Running: 1, promotion.WaitingForMerge: 1,
		promotion.Verifying: 0} {
		s := inState(state)
		s.Attempts[0].Files = s.Pipeline.At()
		s.Stage.Policy.Automatic = false
		for _, p := range Decide(s, noon).Promotions {
			require.NotEqual(t, promotion.Moved, p.Reason.Code, state)
		}
		s.Stage.Files = promotion.Branch{Repo: "acme/eu", Name: "live"}
		d := Decide(s, noon)
		require.Equal(t, promotion.Cancelled, d.Promotions[0].State, state)
		require.Equal(t, "moved acme/eu@live", d.Promotions[0].Reason.String(), state)
		var closed int
		for _, e := range d.Effects {
			if e.Verb == promotion.Close {
				closed++
			}
		}
		require.Equal(t, closes, closed, state)
	}
}

// onTargets is a promotion to targets of a stage, in a step with all of them.
func onTargets(state promotion.State, names ...promotion.TargetName) *promotion.Snapshot {
	s := inState(state)
	s.Stage.Policy.Automatic = false
	one := s.Stage.Targets[0]
	s.Stage.Targets, s.Stage.Strategy.Batches = nil, []promotion.Batch{{Targets: names, AtOnce: len(names)}}
	for _, name := range names {
		one.Name = name
		s.Stage.Targets = append(s.Stage.Targets, one)
	}
	p := &s.Promotions[0]
	p.Rollout = &promotion.Rollout{Batches: s.Stage.Strategy.Batches, Step: 1, Targets: names}
	for i := range s.Deployments {
		s.Deployments[i].Results = nil
		for _, name := range names {
			s.Deployments[i].Results = append(s.Deployments[i].Results,
				promotion.TargetResult{Target: name, Step: 1, Commit: "m"})
		}
	}
	s.Attempts[0].Step = p.Step()
	s.Attempts[0].Files = s.Pipeline.At()
	return s
}

func TestARolloutGoesOnWhenTheTargetsOfItsStepAreGone(t *testing.T) {
	s := onTargets(promotion.Verifying, "a", "b")
	s.Attempts[0].Files = europe
	s.Promotions[0].Rollout.Targets = []promotion.TargetName{"a"}
	s.Deployments[0].Results = s.Deployments[0].Results[:1]
	s.Stage.Targets = s.Stage.Targets[1:]
	d := Decide(s, noon)
	require.Equal(t, promotion.Running, d.Promotions[0].State)
	require.Equal(t, []promotion.TargetName{"b"}, d.Promotions[0].Rollout.Targets)
}

func TestATargetWhoseFilesHaveMovedLeavesItsStep(t *testing.T) {
	s := onTargets(promotion.WaitingForMerge, "a", "b")
	s.Stage.Targets[1].Files = europe
	d := Decide(s, noon)
	require.Equal(t, promotion.Running, d.Promotions[0].State)
	require.Equal(t, []promotion.TargetName{"a"}, d.Promotions[0].Rollout.Targets)

	s = onTargets(promotion.WaitingForMerge, "a", "b")
	s.Stage.Targets[0].Files = europe
	d = Decide(s, noon)
	require.Equal(t, promotion.Running, d.Promotions[0].State, "whichever it is")

	s = onTargets(promotion.WaitingForMerge, "a", "b")
	s.Stage.Targets[0].Files, s.Stage.Targets[1].Files = europe, europe
	d = Decide(s, noon)
	require.Equal(t, "moved acme/eu@main", d.Promotions[0].Reason.String(), "nothing of it is left there")
}

func TestWhatWaitsGoesWhereTheFilesAre(t *testing.T) {
	s := inState(promotion.Queued)
	s.Attempts[0].Files = s.Pipeline.At()
	s.Attempts[0].Plan = &promotion.Plan{Round: 3, At: noon, Asks: s.Stage.Asks(), Paths: []string{"dev.yaml"}}
	s.Stage.Files = promotion.Branch{Repo: "acme/eu", Name: "live"}
	d := Decide(s, noon)
	require.Len(t, d.Promotions, 1, "its attempt is written anew")
	require.Equal(t, promotion.Queued, d.Promotions[0].State)
	require.Equal(t, promotion.PlanVerb, d.Wanted[0].Verb)
	require.EqualValues(t, 4, d.Wanted[0].Round)
	require.Equal(t, s.Pipeline.At(), s.Attempts[0].Files, "the snapshot stays as it was")
}

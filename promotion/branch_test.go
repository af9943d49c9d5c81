package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatWasBegunWhereTheFilesWereIsEnded whatever had become of it: what is open is closed, what is merged stays.
func TestWhatWasBegunWhereTheFilesWereIsEnded(t *testing.T) {
	for state, closes := range map[State]int{Queued: 0, Running: 1, WaitingForMerge: 1, Verifying: 0} {
		s := inState(state)
		s.Attempts[0].Files = s.Pipeline.At()
		s.Stage.Automatic = false
		for _, p := range Decide(s, noon).Promotions {
			require.NotEqual(t, Moved, p.Reason.Code, state)
		}
		s.Stage.Files = Branch{"acme/eu", "live"}
		d := Decide(s, noon)
		require.Equal(t, Cancelled, d.Promotions[0].State, state)
		require.Equal(t, "moved acme/eu@live", d.Promotions[0].Reason.String(), state)
		var closed int
		for _, e := range d.Effects {
			if e.Verb == Close {
				closed++
			}
		}
		require.Equal(t, closes, closed, state)
	}
}

func TestSignalsOfStagesOnTwoBranchesAreTheirOwn(t *testing.T) {
	p := devPipeline()
	p.Stages[1].Verify = p.Stages[0].Verify
	shares := func() bool {
		s := &Snapshot{Pipeline: p, Stage: p.Stages[0]}
		trial := judgeOf(s).trialOfStage(&Stay{})
		return judgeOf(s).shares(&trial, &p.Stages[0].Verify[0])
	}
	require.True(t, shares())
	p.Stages[1].Files = Branch{"acme/deploy", "live"}
	require.False(t, shares())
}

package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// TestWhatWasBegunWhereTheFilesWereIsEnded in each state: open pull requests are closed, merges stay.
func TestWhatWasBegunWhereTheFilesWereIsEnded(t *testing.T) {
	for state, closes := range map[promotion.State]int{promotion.Queued: 0, promotion.Running: 1,
		promotion.WaitingForMerge: 1, promotion.Verifying: 0} {
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

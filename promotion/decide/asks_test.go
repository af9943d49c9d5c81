package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// askedOtherwise is p1 in a state, with a plan that the pipeline file does not ask for any more.
func askedOtherwise(state promotion.State) *promotion.Snapshot {
	s := inState(state)
	s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Paths: []string{"dev.yaml"}, Hash: "h1",
		Asks: s.Stage.Asks()}
	changes := []promotion.Change{{Path: "dev2.yaml"}}
	s.Stage.Targets[0].Changes = append(s.Stage.Targets[0].Changes[:1:1], changes...)
	return s
}

func TestWhatThePipelineFileWouldWriteOtherwiseIsPlannedAnew(t *testing.T) { // semantics 1.1
	for _, state := range []promotion.State{promotion.Queued, promotion.Running, promotion.WaitingForMerge} {
		s := askedOtherwise(state)
		require.Equal(t, "plan p1", told(Decide(s, noon)), state)
		s.Attempts[0].Plan.Asks = s.Stage.Asks()
		require.NotContains(t, told(Decide(s, noon)), "plan", state)
	}
	s := askedOtherwise(promotion.WaitingForMerge)
	require.Equal(t, "plan-changed", Why(s, s.Freight[0].ID, noon).Reason.String())
	s.Pulls[0].HeadSHA = "x"
	require.Equal(t, "", told(Decide(s, noon)), "another person's commit is left alone")
}

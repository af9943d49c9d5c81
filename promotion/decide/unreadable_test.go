package decide

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// stuck is a snapshot of dev whose promotion waits for a file that was not there at b1.
func stuck() *promotion.Snapshot {
	s := inState(promotion.Queued)
	s.Attempts = []promotion.Attempt{{Promotion: 1, Files: s.Pipeline.FilesOf(s.Stage), Plan: &promotion.Plan{
		Round: 1, Base: "b1", At: noon.Add(-time.Hour), Problem: promotion.Because(promotion.Unreadable, "dev.yaml")}}}
	return s
}

func TestAPromotionWaitsForItsFileUntilThatIsReadAtAnotherCommit(t *testing.T) { // Q8
	s := stuck()
	on := s.Attempts[0].Files
	require.Empty(t, told(Decide(s, noon)), "an old plan is not made anew by the clock")
	require.Equal(t, promotion.Because(promotion.Unreadable, "dev.yaml"), Waits(s, noon)[0].Reason)
	s.Readings = []promotion.Reading{{On: on, Commit: "b1"}}
	require.Empty(t, told(Decide(s, noon)), "it was read where the plan was made")
	s.Readings[0] = promotion.Reading{On: promotion.Branch{Repo: on.Repo, Name: "side"}, Commit: "b2"}
	require.Empty(t, told(Decide(s, noon)), "another branch was read")
	s.Readings[0] = promotion.Reading{On: on, Commit: "b2"}
	require.Equal(t, "plan p1", told(Decide(s, noon)))
	s.Readings = nil
	s.Attempts[0].Plan.Asks = "something else"
	require.Equal(t, "plan p1", told(Decide(s, noon)), "the pipeline file has changed")
}

func TestAPromotionThatFindsItsFileMissingAgainAndAgainRests(t *testing.T) {
	s := stuck()
	s.Readings = []promotion.Reading{{On: s.Attempts[0].Files, Commit: "b2"}}
	s.Attempts[0].Plan.Round, s.Attempts[0].Plan.At = 50, noon.Add(-time.Second)
	d := Decide(s, noon)
	require.Empty(t, told(d))
	require.Equal(t, noon.Add(59*time.Second), d.Wake)
	require.Equal(t, "plan p1", told(Decide(s, d.Wake)))
}

func TestWhatWaitsForAFileEndsWhenNewerFreightHasGonePast(t *testing.T) {
	s := stuck()
	s.Promotions[0].Class, s.Promotions[0].By = promotion.Manual, ann
	s.Freight = []promotion.Freight{freightNo(s.Pipeline, 1), freightNo(s.Pipeline, 2)}
	s.Promotions = append(s.Promotions, promotion.Promotion{Number: 2, Place: 2, Stage: "dev", Class: promotion.Manual,
		Freight: s.Freight[1].Ref(), State: promotion.Running, Queued: noon, Started: noon, Rollout: oneStep()})
	require.Contains(t, told(Decide(s, noon)), "p1 superseded because newer api#2, tell superseded")
	s.Promotions[1].Started = s.Promotions[0].Queued.Add(-time.Hour)
	require.NotContains(t, told(Decide(s, noon)), "superseded", "whoever has asked for older freight wants that")
	s.Promotions[1].Started = noon
	s.Attempts[0].Plan = nil
	require.NotContains(t, told(Decide(s, noon)), "superseded", "it waits for its turn only")
	s = stuck()
	s.Freight = []promotion.Freight{freightNo(s.Pipeline, 1), freightNo(s.Pipeline, 2)}
	s.Promotions[0].Freight = s.Freight[1].Ref()
	s.Promotions = append(s.Promotions, promotion.Promotion{Number: 2, Place: 2, Stage: "dev", Class: promotion.Manual,
		Freight: s.Freight[0].Ref(), State: promotion.Running, Queued: noon, Started: noon, Rollout: oneStep()})
	require.NotContains(t, told(Decide(s, noon)), "superseded", "older freight runs")
}

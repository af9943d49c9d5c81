package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/verify"

	"github.com/stretchr/testify/require"
)

func TestTheVerdictIsFromWhenItsLastSignalWasCompleted(t *testing.T) {
	s := inState(promotion.Verifying)
	s.Stage.Targets[0].Verify = append(s.Stage.Targets[0].Verify,
		promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"})
	first := smokeRun(1, "success")
	last := promotion.Signal{
		Kind: promotion.KindStatus, ID: 2, SHA: "m1", Name: "ci", State: "success", Started: noon, Ended: noon,
	}
	hear(s, first, last)
	require.Equal(t, noon, Decide(s, noon.Add(time.Minute)).Deployments[0].Judged)
	s.Stage.Targets[0].Verify[0], s.Stage.Targets[0].Verify[1] = s.Stage.Targets[0].Verify[1], s.Stage.Targets[0].Verify[0]
	require.Equal(t, noon, Decide(s, noon.Add(time.Minute)).Deployments[0].Judged, "in whichever order they are listed")
}

func TestASharedMatcherCountsOnTheMergeCommitOnly(t *testing.T) { // semantics 7.1
	s := inState(promotion.Verifying)
	pushes := []promotion.Push{{Before: "m1", After: "m2", Paths: []string{"prod.yaml"}}}
	later := smokeRun(1, "success")
	later.SHA = "m2"
	s.Evidence = verify.Gather(s, []promotion.Signal{later}, nil, pushes)
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
	s.Pipeline.Stages[1].Targets[0].Verify = []promotion.Matcher{
		{Kind: promotion.KindCheck, Pattern: "*", App: "github-actions"},
	}
	require.Equal(t, "", told(Decide(s, noon)))
	later.SHA = "m1"
	s.Evidence = verify.Gather(s, []promotion.Signal{later}, nil, pushes)
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
}

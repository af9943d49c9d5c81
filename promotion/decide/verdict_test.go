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

func TestAMatcherThatAnotherPipelineHasTooCountsOnTheMergeCommitOnly(t *testing.T) { // semantics 7.1
	s := inState(promotion.Verifying)
	pushes := []promotion.Push{{Before: "m1", After: "m2", Paths: []string{"prod.yaml"}}}
	later := smokeRun(1, "success")
	later.SHA = "m2"
	s.Evidence = verify.Gather(s, []promotion.Signal{later}, nil, pushes)
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
	of := s.Pipeline.Subjects(s.Stage)[0]
	s.Common = []promotion.Common{{On: promotion.Branch{Repo: of.On.Repo, Name: "live"}, Matched: of.Verify[0].Matches()}}
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)), "on another branch")
	s.Common[0].On = of.On
	require.Equal(t, "", told(Decide(s, noon)))
	require.Empty(t, verify.Gather(s, []promotion.Signal{later}, nil, pushes))
	later.SHA = "m1"
	s.Evidence = verify.Gather(s, []promotion.Signal{later}, nil, pushes)
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
}

func TestAVerdictKeepsTheMatchersThatMadeIt(t *testing.T) { // semantics 7.2
	e2e := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "e2e", App: "github-actions"}
	s := inState(promotion.Verifying)
	hear(s, smokeRun(1, "failure"))
	s = apply(s, Decide(s, noon))
	require.Equal(t, promotion.Bad, s.Deployments[0].Verdict)
	s.Stage.Targets[0].Verify[0] = e2e // the pipeline file has another list now
	passed := smokeRun(2, "success")
	passed.Name = "e2e"
	hear(s, smokeRun(1, "failure"), passed)
	require.True(t, Decide(s, noon).Nothing(), "nobody has asked for another verdict")
	hear(s, smokeRun(1, "failure"), smokeRun(3, "success"), passed)
	require.Equal(t, promotion.Passed, Decide(s, noon).Deployments[0].Verdict, "the list of then hears what is new")
	hear(s, smokeRun(1, "failure"), passed)
	ask(promotion.Command{Verb: promotion.CmdVerify, Stage: "dev"})(s)
	require.Equal(t, promotion.Passed, Decide(s, noon).Deployments[0].Verdict, "/verify is by the file")
}

func TestWhatIsVerifyingIsJudgedByThePipelineFile(t *testing.T) { // semantics 7.2
	s := inState(promotion.Verifying)
	s = apply(s, Decide(s, noon))
	s.Stage.Targets[0].Verify = nil
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
}

func TestAPromotionThatTakesAVerdictOverIsJudgedByThePipelineFile(t *testing.T) { // semantics 7.2, 1.5
	s := retried(promotion.Bad, promotion.Actor{})
	s.Deployments[0].Results[0].Keep(s.Stage.Targets[0].Verify)
	s.Stage.Targets[0].Verify[0].Pattern = "e2e"
	passed := smokeRun(2, "success")
	passed.Name = "e2e"
	hear(s, smokeRun(1, "failure"), passed)
	require.Contains(t, told(Decide(s, noon)), "p2 succeeded")
}

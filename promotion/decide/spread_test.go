package decide

import (
	"testing"
	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// europe is where some of the targets below have their files.
var europe = promotion.Branch{Repo: "acme/eu", Name: "main"}

func TestAStepUpdatesTargetsOfOneBranchOnly(t *testing.T) { // semantics 5.3
	stage := &promotion.Stage{Name: "prod", Targets: []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}, {Name: "c"}, {Name: "d", Files: europe}}}
	p := &promotion.Promotion{Rollout: &promotion.Rollout{Batches: []promotion.Batch{{Name: "all", Targets: []promotion.TargetName{"a", "b", "c", "d"}, AtOnce: 3}}}}
	ready := func(promotion.TargetName) bool { return false }
	first, _ := p.Next(stage, nil, ready)
	require.Equal(t, []promotion.TargetName{"a", "c"}, first.Targets)
	parts := []promotion.Part{{Target: "a", Step: 1, Verdict: promotion.Passed}, {Target: "c", Step: 1, Verdict: promotion.Passed}}
	second, _ := p.Next(stage, parts, ready)
	require.Equal(t, []promotion.TargetName{"b", "d"}, second.Targets)
	p.Rollout.Batches[0].AtOnce = 1
	second, _ = p.Next(stage, parts, ready)
	require.Equal(t, []promotion.TargetName{"b"}, second.Targets)
}

func TestAPromotionWritesToTheBranchOfItsStep(t *testing.T) {
	stage := &promotion.Stage{Name: "prod", Targets: []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}}}
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{stage}}
	at := func(targets ...promotion.TargetName) promotion.Branch {
		return p.FilesOfStep(stage, &promotion.Promotion{Rollout: &promotion.Rollout{Targets: targets}})
	}
	require.Equal(t, p.At(), p.FilesOfStep(stage, &promotion.Promotion{}))
	require.Equal(t, []promotion.Branch{p.At(), europe, europe, p.At()}, []promotion.Branch{at("a"), at("b"), at("gone", "b"), at("gone")})
	require.Equal(t, []promotion.Branch{p.At(), europe}, p.BranchesOf(stage))
	require.Equal(t, []promotion.Foreign{{Repo: "acme/eu", By: "stage prod"}}, p.Elsewhere())
	require.Len(t, p.On(stage, europe).Targets, 1)
}

// apart is a stage whose two targets have their values in files that are called the same, in two repositories.
func apart() *promotion.Snapshot {
	s := inState(promotion.Succeeded)
	s.Stage.Targets = []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}}
	s.Stage.Changes = nil
	for i, files := range []promotion.Branch{{}, europe} {
		change := promotion.Change{Files: files, Path: "dev.yaml", Set: []promotion.Assignment{{Key: "tag"}}}
		s.Stage.Targets[i].Changes, s.Stage.Changes = []promotion.Change{change}, append(s.Stage.Changes, change)
		s.Stays[0].Wrote = append(s.Stays[0].Wrote, promotion.Value{Files: files, Path: "dev.yaml", Key: "tag", Text: "1"})
	}
	s.Stage.Drift, s.Stays[0].Wrote = promotion.DriftReport, s.Stays[0].Wrote[len(s.Stays[0].Wrote)-2:]
	return s
}

func TestWhatIsReadOnOneBranchSaysNothingOfAnother(t *testing.T) { // semantics 6.4
	s := apart()
	reads := func(on promotion.Branch, files promotion.Branch, text string) promotion.Reading {
		return promotion.Reading{On: on, Commit: "e2", By: bob, Values: []promotion.Value{{Files: files, Path: "dev.yaml", Key: "tag", Text: text}}}
	}
	s.Readings = []promotion.Reading{reads(s.Files(), promotion.Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Stays, "nobody knows of the other, and this one is as it was")
	s.Readings = []promotion.Reading{reads(europe, europe, "mine")}
	d := Decide(s, noon)
	require.Equal(t, []promotion.Value{{Files: europe, Path: "dev.yaml", Key: "tag", Text: "mine"}}, d.Stays[0].Drift.Says)
	require.Equal(t, bob, d.Stays[0].Drift.By)
	require.Equal(t, []string{"acme/eu@main dev.yaml tag"}, Drifted(&d.Stays[0]).Args)

	s.Stays = d.Stays
	s.Readings = []promotion.Reading{reads(s.Files(), promotion.Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Stays, "what has been noted stays while nobody knows")
	s.Readings = append(s.Readings, reads(europe, europe, "1"))
	require.False(t, Decide(s, noon).Stays[0].Drift.Stands())
}

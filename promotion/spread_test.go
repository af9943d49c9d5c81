package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// europe is where some of the targets below have their files.
var europe = Branch{Repo: "acme/eu", Name: "main"}

func TestAStepUpdatesTargetsOfOneBranchOnly(t *testing.T) { // semantics 5.3
	stage := &Stage{Name: "prod", Targets: []Target{{Name: "a"}, {Name: "b", Files: europe}, {Name: "c"}, {Name: "d", Files: europe}}}
	p := &Promotion{Rollout: &Rollout{Batches: []Batch{{Name: "all", Targets: []TargetName{"a", "b", "c", "d"}, AtOnce: 3}}}}
	ready := func(TargetName) bool { return false }
	first, _ := p.next(stage, nil, ready)
	require.Equal(t, []TargetName{"a", "c"}, first.Targets)
	parts := []Part{{Target: "a", Step: 1, Verdict: Passed}, {Target: "c", Step: 1, Verdict: Passed}}
	second, _ := p.next(stage, parts, ready)
	require.Equal(t, []TargetName{"b", "d"}, second.Targets)
	p.Rollout.Batches[0].AtOnce = 1
	second, _ = p.next(stage, parts, ready)
	require.Equal(t, []TargetName{"b"}, second.Targets)
}

func TestAPromotionWritesToTheBranchOfItsStep(t *testing.T) {
	stage := &Stage{Name: "prod", Targets: []Target{{Name: "a"}, {Name: "b", Files: europe}}}
	p := &Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*Stage{stage}}
	at := func(targets ...TargetName) Branch {
		return p.FilesOfStep(stage, &Promotion{Rollout: &Rollout{Targets: targets}})
	}
	require.Equal(t, p.At(), p.FilesOfStep(stage, &Promotion{}))
	require.Equal(t, []Branch{p.At(), europe, europe, p.At()}, []Branch{at("a"), at("b"), at("gone", "b"), at("gone")})
	require.Equal(t, []Branch{p.At(), europe}, p.BranchesOf(stage))
	require.Equal(t, []Foreign{{"acme/eu", "stage prod"}}, p.Elsewhere())
	require.Len(t, p.On(stage, europe).Targets, 1)
}

// apart is a stage whose two targets have their values in files that are called the same, in two repositories.
func apart() *Snapshot {
	s := inState(Succeeded)
	s.Stage.Targets = []Target{{Name: "a"}, {Name: "b", Files: europe}}
	s.Stage.Changes = nil
	for i, files := range []Branch{{}, europe} {
		change := Change{Files: files, Path: "dev.yaml", Set: []Assignment{{Key: "tag"}}}
		s.Stage.Targets[i].Changes, s.Stage.Changes = []Change{change}, append(s.Stage.Changes, change)
		s.Stays[0].Wrote = append(s.Stays[0].Wrote, Value{Files: files, Path: "dev.yaml", Key: "tag", Text: "1"})
	}
	s.Stage.Drift, s.Stays[0].Wrote = DriftReport, s.Stays[0].Wrote[len(s.Stays[0].Wrote)-2:]
	return s
}

func TestWhatIsReadOnOneBranchSaysNothingOfAnother(t *testing.T) { // semantics 6.4
	s := apart()
	reads := func(on Branch, files Branch, text string) Reading {
		return Reading{On: on, Commit: "e2", By: bob, Values: []Value{{Files: files, Path: "dev.yaml", Key: "tag", Text: text}}}
	}
	s.Readings = []Reading{reads(s.Files(), Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Stays, "nobody knows of the other, and this one is as it was")
	s.Readings = []Reading{reads(europe, europe, "mine")}
	d := Decide(s, noon)
	require.Equal(t, []Value{{Files: europe, Path: "dev.yaml", Key: "tag", Text: "mine"}}, d.Stays[0].Drift.Says)
	require.Equal(t, bob, d.Stays[0].Drift.By)
	require.Equal(t, []string{"acme/eu@main dev.yaml tag"}, d.Stays[0].Drifted().Args)

	s.Stays = d.Stays
	s.Readings = []Reading{reads(s.Files(), Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Stays, "what has been noted stays while nobody knows")
	s.Readings = append(s.Readings, reads(europe, europe, "1"))
	require.False(t, Decide(s, noon).Stays[0].Drift.Stands())
}

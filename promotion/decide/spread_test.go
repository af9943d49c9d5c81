package decide

import (
	"testing"

	"waybill/promotion"
	"waybill/promotion/drift"

	"github.com/stretchr/testify/require"
)

// europe is the branch with the files of some targets below.
var europe = promotion.Branch{Repo: "acme/eu", Name: "main"}

// apart is a stage whose two targets have values in files with the same name, in two repositories.
func apart() *promotion.Snapshot {
	s := inState(promotion.Succeeded)
	s.Stage.Targets = []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}}
	s.Deployments[0].Results = []promotion.TargetResult{
		{Target: "a", Step: 1, Verdict: promotion.Passed}, {Target: "b", Step: 1, Verdict: promotion.Passed}}
	s.Promotions[0].Rollout = &promotion.Rollout{
		Batches: []promotion.Batch{{Name: "all", Targets: []promotion.TargetName{"a", "b"}, AtOnce: 1}}, Step: 1}
	for i, files := range []promotion.Branch{{}, europe} {
		change := promotion.Change{Files: files, Path: "dev.yaml", Set: []promotion.Assignment{{Key: "tag"}}}
		s.Stage.Targets[i].Changes = []promotion.Change{change}
		s.Deployments[0].Wrote = append(s.Deployments[0].Wrote,
			promotion.Value{Files: files, Path: "dev.yaml", Key: "tag", Text: "1"})
	}
	s.Stage.Drift, s.Deployments[0].Wrote = promotion.DriftReport, s.Deployments[0].Wrote[len(s.Deployments[0].Wrote)-2:]
	return s
}

func TestWhatIsReadOnOneBranchSaysNothingOfAnother(t *testing.T) { // semantics 6.4
	s := apart()
	reads := func(on promotion.Branch, files promotion.Branch, text string) promotion.Reading {
		return promotion.Reading{On: on, Commit: "e2", By: bob,
			Values: []promotion.Value{{Files: files, Path: "dev.yaml", Key: "tag", Text: text}}}
	}
	s.Readings = []promotion.Reading{reads(s.Pipeline.FilesOf(s.Stage), promotion.Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Deployments, "nobody knows of the other, and this one is as it was")
	s.Readings = []promotion.Reading{reads(europe, europe, "mine")}
	d := Decide(s, noon)
	require.Equal(t, []promotion.Value{{Files: europe, Path: "dev.yaml", Key: "tag", Text: "mine"}},
		d.Deployments[0].Drift.Says)
	require.Equal(t, bob, d.Deployments[0].Drift.By)
	require.Equal(t, []string{"acme/eu@main dev.yaml tag"}, drift.Reason(&d.Deployments[0]).Args)

	s.Deployments = d.Deployments
	s.Readings = []promotion.Reading{reads(s.Pipeline.FilesOf(s.Stage), promotion.Branch{}, "1")}
	require.Empty(t, Decide(s, noon).Deployments, "what has been noted stays while nobody knows")
	s.Readings = append(s.Readings, reads(europe, europe, "1"))
	require.False(t, Decide(s, noon).Deployments[0].Drift.Stands())
}

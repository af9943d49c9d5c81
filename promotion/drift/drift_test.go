package drift_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/promotion/internal/fixture"
)

// drifting is a snapshot of dev that hosts api#1. Its promotion wrote tag 1, but the files have hotfix.
func drifting() *promotion.Snapshot {
	s := fixture.InState(promotion.Succeeded)
	s.Stage.Targets[0].Changes[0].Set = []promotion.Assignment{{Key: "tag"}}
	s.Deployments[0].Wrote = []promotion.Value{tag("1")}
	s.Readings = []promotion.Reading{
		{On: s.Pipeline.FilesOf(s.Stage), Commit: "m2", By: fixture.Bob, Values: []promotion.Value{tag("hotfix")}}}
	return s
}

func tag(text string) promotion.Value {
	return promotion.Value{Path: "dev.yaml", Key: "tag", Text: text}
}

func TestOnlyWhatIsKnownIsCompared(t *testing.T) {
	unread := promotion.Branch{Repo: "acme/eu", Name: "main"}
	running := func(warehouse promotion.WarehouseName, state promotion.State) func(*promotion.Snapshot) {
		return func(s *promotion.Snapshot) {
			s.Promotions = append(s.Promotions,
				promotion.Promotion{Number: 2, Freight: promotion.FreightRef{Warehouse: warehouse}, State: state})
		}
	}
	hotfix := []promotion.Value{tag("hotfix")}
	for _, c := range []struct {
		why    string
		change func(*promotion.Snapshot)
		says   []promotion.Value
		known  bool
	}{
		{"it says something else", func(*promotion.Snapshot) {}, hotfix, true},
		{"it says what was promoted", func(s *promotion.Snapshot) { s.Readings[0].Values[0].Text = "1" }, nil, true},
		{"nobody has read the files", func(s *promotion.Snapshot) { s.Readings = nil }, nil, false},
		{"the file cannot be read (R6)", func(s *promotion.Snapshot) { s.Readings[0].Values = nil }, nil, false},
		{"nobody knows what was written", func(s *promotion.Snapshot) { s.Deployments[0].Wrote = nil }, nil, true},
		{"the pipeline file does not set it any more",
			func(s *promotion.Snapshot) { s.Stage.Targets[0].Changes[0].Set = nil }, nil, true},
		{"a promotion writes there again", running("api", promotion.WaitingForMerge), nil, false},
		{"a promotion has written there again", running("api", promotion.Verifying), hotfix, true},
		{"a promotion waits", running("api", promotion.Queued), hotfix, true},
		{"a promotion of another warehouse runs", running("web", promotion.Running), hotfix, true},
		{"only another branch has been read", func(s *promotion.Snapshot) { s.Readings[0].On = unread }, nil, true},
		{"only another branch has been read since", func(s *promotion.Snapshot) {
			s.Readings[0].On, s.Deployments[0].Drift.Says = unread, []promotion.Value{tag("before")}
		}, []promotion.Value{tag("before")}, true},
	} {
		s := drifting()
		c.change(s)
		says, known := drift.Compare(s, &s.Deployments[0])
		require.Equal(t, c.says, says, c.why)
		require.Equal(t, c.known, known, c.why)
	}
}

func TestADriftIsFoundWhereItIsNew(t *testing.T) {
	s := drifting()
	europe := promotion.Branch{Repo: "acme/eu", Name: "main"}
	there := promotion.Value{Files: europe, Path: "dev.yaml", Key: "tag", Text: "mine"}
	s.Readings = append(s.Readings, promotion.Reading{On: europe, Commit: "e2"})
	says := []promotion.Value{tag("hotfix"), there}
	require.Equal(t, promotion.SHA("m2"), drift.FoundIn(s, says, nil).Commit)
	require.Equal(t, promotion.SHA("e2"), drift.FoundIn(s, says, says[:1]).Commit)
	require.Equal(t, promotion.SHA("m2"), drift.FoundIn(s, says, says).Commit, "nothing is new")
}

func TestADriftHasOneRepair(t *testing.T) {
	s := drifting()
	is := func(state promotion.State) promotion.Drift {
		s.Promotions[0].State = state
		return promotion.Drift{Repair: 1}
	}
	require.False(t, drift.Tried(s, promotion.Drift{}))
	require.True(t, drift.Tried(s, is(promotion.Declined)))
	require.False(t, drift.Tried(s, is(promotion.Superseded)))
	require.True(t, drift.Tried(s, promotion.Drift{Repair: 7}), "it ended long ago")
}

func TestWhatWasPutBackAndIsChangedToTheSameIsKnown(t *testing.T) {
	s := drifting()
	now := promotion.Deployment{
		Freight: s.Deployments[0].Freight, Drift: promotion.Drift{Says: []promotion.Value{tag("hotfix")}},
	}
	past := now
	past.Left, past.Drift.Repair = fixture.Noon, 1
	for why, c := range map[string]struct {
		change func(*promotion.Deployment)
		want   bool
	}{
		"it was put back":            {func(*promotion.Deployment) {}, true},
		"it stands":                  {func(p *promotion.Deployment) { p.Left = now.Left }, false},
		"it was of other freight":    {func(p *promotion.Deployment) { p.Freight = "web#1" }, false},
		"nothing was repaired":       {func(p *promotion.Deployment) { p.Drift.Repair = 0 }, false},
		"it was changed differently": {func(p *promotion.Deployment) { p.Drift.Says = []promotion.Value{tag("2")} }, false},
	} {
		before := past
		c.change(&before)
		s.Deployments = []promotion.Deployment{before, now}
		require.Equal(t, c.want, drift.RepairedBefore(s, &now), why)
	}
}

func TestAPromotionIsUnderwayUntilItEnds(t *testing.T) {
	for state, want := range map[promotion.State]bool{
		promotion.Queued: true, promotion.Running: true, promotion.Verifying: true, promotion.Succeeded: false,
	} {
		s := fixture.InState(state)
		require.Equal(t, want, drift.Underway(s, "api"), state)
		require.False(t, drift.Underway(s, "web"), state)
	}
}

func TestARepairIsNeedlessWhenNobodyWantsItOrNothingDiffers(t *testing.T) {
	s := drifting()
	s.Deployments[0].Drift.Says = []promotion.Value{tag("hotfix")}
	repair := promotion.Promotion{
		Freight: promotion.FreightRef{Warehouse: "api"}, Class: promotion.Automatic, Repairs: true,
	}
	asked := repair
	asked.Class = promotion.Manual
	s.Stage.Drift = promotion.DriftReport
	require.Equal(t, promotion.Because(promotion.Removed, "drift: repair"), drift.Needless(s, &repair))
	require.True(t, drift.Needless(s, &asked).IsZero())
	s.Stage.Drift = promotion.DriftRepair
	require.True(t, drift.Needless(s, &repair).IsZero())
	s.Deployments[0].Drift.Says = nil
	require.Equal(t, promotion.Because(promotion.NoChange), drift.Needless(s, &repair))
	require.True(t, drift.Needless(s, &promotion.Promotion{
		Freight: promotion.FreightRef{Warehouse: "api"}, Class: promotion.Automatic,
	}).IsZero())
}

func TestAReasonSaysWhereAndWhatAndWhoPushedIt(t *testing.T) {
	deployment := promotion.Deployment{Promotion: 3, Wrote: []promotion.Value{tag("1")}}
	require.True(t, drift.Reason(&deployment).IsZero())
	deployment.Drift = promotion.Drift{Says: []promotion.Value{tag("hotfix")}, By: fixture.Bob}
	require.Equal(t, promotion.Because(promotion.Drifted, "dev.yaml tag").
		With(`tag says "hotfix", promotion 3 wrote "1"; pushed by bob`), drift.Reason(&deployment))
}

func TestEverythingIsOnePlaceThatIsCopied(t *testing.T) {
	s := drifting()
	branch := func(text string) []promotion.Value {
		return []promotion.Value{{Path: promotion.Everything, Key: promotion.EveryFile, Text: text}}
	}
	s.Stage.Targets[0] = promotion.Target{
		Copies: []promotion.Copy{{Path: promotion.Everything, From: promotion.Everything, Stage: "staging"}}}
	deployment := &s.Deployments[0]
	deployment.Wrote, s.Readings[0].Values = branch("t1"), branch("t2")
	says, known := drift.Compare(s, deployment)
	require.True(t, known)
	require.Equal(t, branch("t2"), says)
	deployment.Drift.Says = says
	require.Equal(t, "the branch is not what promotion 1 copied", drift.Reason(deployment).Detail)
}

package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// drifting is a snapshot of dev that hosts api#1. Its promotion wrote tag 1, but the files have another text.
func drifting(state promotion.State, says string) *promotion.Snapshot {
	s := inState(state)
	s.Stage.Targets[0].Changes[0].Set = []promotion.Assignment{{Key: "tag"}}
	s.Deployments[0].Wrote = []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "1"}}
	s.Readings = []promotion.Reading{{On: s.Pipeline.FilesOf(s.Stage), Commit: "m2", By: bob,
		Values: []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: says}}}}
	return s
}

func TestADriftIsToldUnlessThePipelineFileIgnoresIt(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	require.Equal(t, "drifted, tell drifted", told(Decide(s, noon)))
	s.Stage.Drift = promotion.DriftIgnore
	require.Empty(t, told(Decide(s, noon)))
}

func TestADriftThatIsNotedStaysWhileNobodyCanTell(t *testing.T) { // R6
	s := drifting(promotion.Succeeded, "hotfix")
	s = apply(s, Decide(s, noon))
	s.Readings[0].Values = nil
	require.Empty(t, told(Decide(s, noon)))
	require.False(t, Why(s, s.Freight[0].ID, noon).Drift.IsZero())
}

func TestADriftIsShownWithTheFreightAsLongAsItIsHosted(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	s = apply(s, Decide(s, noon))
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, "Verified, drifted", say.Title(at))
	require.Equal(t, "**`api#1`** in **`dev`**: Verified, drifted.\n\nPromotion 1, automatic.\n\n"+
		"Drifted: somebody changed what was promoted: `dev.yaml tag`: tag says \"hotfix\", promotion 1 wrote \"1\"; "+
		"pushed by bob.\n\nNext: `/promote dev api#1`\n", say.Summary(at, "dev"))
	s.Deployments[0].Left = noon
	require.True(t, Why(s, s.Freight[0].ID, noon).Drift.IsZero())
}

func TestADriftIsToldWithItsPlaceItsCauseAndARemedy(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	d := Decide(s, noon)
	s = apply(s, d)
	require.Equal(t, promotion.EffectKey("tell/1/drifted/1"), d.Effects[0].Key())
	text := say.TellText(&s.Promotions[0], d.Effects[0].Outcome, d.Effects[0].Reason,
		Told(s, Why(s, s.Freight[0].ID, noon), d.Effects[0].Outcome, noon))
	require.Contains(t, text,
		"**`api#1`** is in **`dev`**, but somebody changed what was promoted: `dev.yaml tag`: ")
	require.Contains(t, text, "pushed by bob")
	require.Contains(t, text,
		"Next: `/promote dev api#1` writes it again; `drift: repair` in the pipeline file makes that automatic\n")
	require.Contains(t, say.PullBody(promotion.FreightStatus{Promotion: &promotion.Promotion{
		Number: 2, Freight: promotion.FreightRef{Name: "api#1"}, Stage: "dev", Repairs: true, Cause: 1,
	}}, promotion.Freight{}, nil),
		"It writes again what promotion 1 wrote, because the files no longer say so.")
}

func TestADriftOfLongTextsIsToldShortly(t *testing.T) { // F41
	s := drifting(promotion.Succeeded, strings.Repeat("é", 100_000))
	d := Decide(s, noon)
	require.Less(t, len(d.Effects[0].Reason.Detail), 300)
}

func TestADriftBesidesAnotherIsAnotherDrift(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	s.Stage.Targets[0].Changes[0].Set = append(s.Stage.Targets[0].Changes[0].Set, promotion.Assignment{Key: "port"})
	s.Deployments[0].Wrote = append(s.Deployments[0].Wrote, promotion.Value{Path: "dev.yaml", Key: "port", Text: "80"})
	s.Readings[0].Values = append(s.Readings[0].Values, promotion.Value{Path: "dev.yaml", Key: "port", Text: "80"})
	s = apply(s, Decide(s, noon))
	s.Readings[0].Values[1].Text = "81"
	d := Decide(s, noon)
	require.Equal(t, "drifted, tell drifted", told(d))
	require.Equal(t, promotion.EffectKey("tell/1/drifted/2"), d.Effects[0].Key())
}

func TestARepairThatIsNotWantedAnyMoreIsCancelled(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	s.Stage.Drift = promotion.DriftRepair
	s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: bob, At: noon}}
	s = apply(s, Decide(s, noon))
	require.True(t, s.Promotions[1].Repairs)
	require.Equal(t, promotion.Number(1), s.Promotions[1].Cause)
	require.Empty(t, told(Decide(s, noon)))
	s.Stage.Drift = promotion.DriftReport
	require.Equal(t, "p2 cancelled because removed drift: repair, tell drifted", told(Decide(s, noon)))
	s.Promotions[1].Class = promotion.Manual
	require.Equal(t, "tell drifted", told(Decide(s, noon)), "a person has asked for it meanwhile")
}

func TestNewerFreightThatIsNotMergedLeavesTheDriftToANewRepair(t *testing.T) {
	s := drifting(promotion.Succeeded, "hotfix")
	s.Stage.Drift = promotion.DriftRepair
	s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: bob, At: noon}}
	s = apply(s, Decide(s, noon))
	s.Promotions[1].State, s.Promotions[1].Ended = promotion.Superseded, noon
	require.Equal(t, "p3 queued", told(Decide(s, noon.Add(time.Minute))))
	s.Promotions[1].State = promotion.Declined
	require.Empty(t, told(Decide(s, noon.Add(time.Minute))))
	s.Promotions = s.Promotions[:1]
	require.Empty(t, told(Decide(s, noon.Add(time.Minute))), "it ended long ago")
}

func TestAFolderThatIsNoLongerWhatWasCopiedDrifts(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Stage.Targets[0].Changes = nil
	s.Stage.Targets[0].Copies = []promotion.Copy{{Path: "deploy", From: "src", Warehouse: "api"}}
	s.Deployments[0].Wrote = []promotion.Value{{Path: "deploy", Text: "1234567890"}}
	s.Readings = []promotion.Reading{{On: s.Pipeline.FilesOf(s.Stage), Commit: "m2", By: bob,
		Values: []promotion.Value{{Path: "deploy", Text: "1234567890"}}}}
	require.Empty(t, told(Decide(s, noon)))
	s.Readings[0].Values[0].Text = ""
	d := Decide(s, noon)
	require.Equal(t, "drifted, tell drifted", told(d))
	require.Equal(t, promotion.Because(promotion.Drifted,
		"deploy/").With("deploy/ is not what promotion 1 copied; pushed by bob"), d.Effects[0].Reason)
}

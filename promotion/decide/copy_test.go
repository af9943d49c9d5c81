package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestAFolderThatIsNoLongerWhatWasCopiedDrifts(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Stage.Targets[0].Changes, s.Stage.Targets[0].Copies = nil, []promotion.Copy{{Path: "deploy", From: "src", Warehouse: "api"}}
	s.Stays[0].Wrote = []promotion.Value{{Path: "deploy", Text: "1234567890"}}
	s.Readings = []promotion.Reading{{On: s.Files(), Commit: "m2", By: bob,
		Values: []promotion.Value{{Path: "deploy", Text: "1234567890"}}}}
	require.Empty(t, told(Decide(s, noon)))
	s.Readings[0].Values[0].Text = ""
	d := Decide(s, noon)
	require.Equal(t, "drifted, tell drifted", told(d))
	require.Equal(t, promotion.Because(promotion.Drifted,
		"deploy/").With("deploy/ is not what promotion 1 copied; pushed by bob"), d.Effects[0].Reason)
}

func TestEverythingIsOnePlaceThatIsCopied(t *testing.T) {
	s := promotion.OnePlace(&promotion.Stage{},
		promotion.Target{Copies: []promotion.Copy{{Path: promotion.Everything, From: promotion.Everything, Stage: "staging"}}})
	require.True(t, sets(s)[promotion.Spot{Path: promotion.Everything, Key: promotion.EveryFile}])
	require.Equal(t, "the branch is not what promotion 3 copied",
		valueDiffers(promotion.Value{Path: promotion.Everything, Key: promotion.EveryFile}, 3, ""))
}

package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// europe is the branch with the files of some targets below.
var europe = promotion.Branch{Repo: "acme/eu", Name: "main"}

func TestAPromotionWritesToTheBranchOfItsStep(t *testing.T) {
	stage := &promotion.Stage{Name: "prod", Targets: []promotion.Target{{Name: "a"}, {Name: "b", Files: europe}}}
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{stage}}
	at := func(targets ...promotion.TargetName) promotion.Branch {
		return p.FilesOfStep(stage, &promotion.Promotion{Rollout: &promotion.Rollout{Targets: targets}})
	}
	require.Equal(t, p.At(), p.FilesOfStep(stage, &promotion.Promotion{}))
	require.Equal(t, []promotion.Branch{p.At(), europe, europe, p.At()},
		[]promotion.Branch{at("a"), at("b"), at("gone", "b"), at("gone")})
	require.Equal(t, []promotion.Branch{p.At(), europe}, p.BranchesOf(stage))
	require.Equal(t, []promotion.Foreign{{Repo: "acme/eu", By: "stage prod"}}, p.Elsewhere())
	require.Len(t, p.On(stage, europe).Targets, 1)
}

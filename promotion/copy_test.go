package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// copying is a stage that copies deploy/prod from the freight deployed to staging.
func copying() *promotion.Stage {
	return promotion.OnePlace(&promotion.Stage{Name: "prod", Delivery: promotion.DeliveryPullRequest},
		promotion.Target{Copies: []promotion.Copy{{Path: "deploy/prod", From: "deploy/staging", Stage: "staging"}}})
}

func TestWhatLiesInAFolderThatIsCopiedIsTheStages(t *testing.T) {
	s := copying()
	for path, touches := range map[string]bool{
		"deploy/prod/a.yaml": true, "deploy/prod/x/y": true, "deploy/prod": true,
		"deploy/prod.yaml": false, "deploy/production/a": false, "deploy": false, "deploy/staging/a.yaml": false,
	} {
		require.Equal(t, touches, s.Touches(path), path)
	}
	p := &promotion.Pipeline{Stages: []*promotion.Stage{s}}
	s.Guard = true
	require.Equal(t, []string{"deploy/prod/a", "deploy/prod/b"},
		p.GuardedFiles(p.At(), promotion.Touched{Paths: []string{"deploy/prod/b", "x", "deploy/prod/a"}}))
	require.Equal(t, []string{"deploy/prod"}, p.GuardedFiles(p.At(), promotion.Touched{More: true}))
}

func TestEverythingOnTheBranchIsTheStagesWhereItBecomesWhatTheFreightIs(t *testing.T) {
	s := copying()
	require.False(t, s.Whole())
	s.Targets[0].Copies[0].Path, s.Targets[0].Copies[0].From = promotion.Everything, promotion.Everything
	require.True(t, s.Whole())
	require.True(t, s.Touches("any/file"))
}

func TestWhatLiesInAFolderThatIsCopiedIsNoFreight(t *testing.T) { // semantics 7.7
	w := promotion.Warehouse{Paths: []string{"**/*.yaml"}, Except: []string{"deploy/prod"}}
	require.False(t, w.WantsFile("deploy/prod/a.yaml"))
	require.True(t, w.WantsFile("deploy/production.yaml"))
}

func TestWhatAFreightCameWithIsWhatWasVerified(t *testing.T) {
	for name, c := range map[string]struct {
		stays []promotion.Deployment
		want  promotion.SHA
	}{
		"it has never been there": {nil, ""},
		"it was elsewhere only": {[]promotion.Deployment{{Stage: "dev", Commit: "m1", Verdict: promotion.Passed}},
			""},
		"it is there and not judged": {[]promotion.Deployment{{Stage: "staging", Commit: "m1"}}, "m1"},
		"it was verified and came again": {[]promotion.Deployment{{Stage: "staging", Commit: "m1",
			Verdict: promotion.Passed}, {Stage: "staging", Commit: "m2"}}, "m1"},
		"it was verified twice": {[]promotion.Deployment{{Stage: "staging", Commit: "m1",
			Verdict: promotion.Passed}, {Stage: "staging", Commit: "m2", Verdict: promotion.Passed}}, "m2"},
		"it failed first": {[]promotion.Deployment{{Stage: "staging", Commit: "m1", Verdict: promotion.Bad},
			{Stage: "staging", Commit: "m2", Verdict: promotion.Passed}}, "m2"},
		"it was verified and failed later": {[]promotion.Deployment{{Stage: "staging", Commit: "m1",
			Verdict: promotion.Passed}, {Stage: "staging", Commit: "m2", Verdict: promotion.Bad}}, "m1"},
		"it has never been good (admitted)": {[]promotion.Deployment{{Stage: "staging", Commit: "m1", Verdict: promotion.Bad},
			{Stage: "staging", Commit: "m2", Verdict: promotion.Bad}}, "m2"},
	} {
		require.Equal(t, c.want, promotion.CameWith(c.stays, "staging"), name)
	}
}

func TestAFolderIsCopiedForTheFreightOfItsWarehouseOrOfTheStageBefore(t *testing.T) { // Q15
	api := promotion.Freight{Warehouse: "api"}
	require.True(t, promotion.Copy{Warehouse: "api"}.Concerns(api))
	require.False(t, promotion.Copy{Warehouse: "web"}.Concerns(api))
	require.True(t, promotion.Copy{Stage: "staging"}.Concerns(api))
}

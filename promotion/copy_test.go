package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// copying is a stage that copies deploy/prod from what came into staging.
func copying() *Stage {
	return &Stage{Name: "prod", Copies: []Copy{{Path: "deploy/prod", From: "deploy/staging", Stage: "staging"}}}
}

func TestWhatLiesInAFolderThatIsCopiedIsTheStages(t *testing.T) {
	s := copying()
	require.False(t, s.PassThrough())
	for path, touches := range map[string]bool{
		"deploy/prod/a.yaml": true, "deploy/prod/x/y": true, "deploy/prod": true,
		"deploy/prod.yaml": false, "deploy/production/a": false, "deploy": false, "deploy/staging/a.yaml": false,
	} {
		require.Equal(t, touches, s.Touches(path), path)
	}
	p := &Pipeline{Stages: []*Stage{s}}
	s.Guard = true
	require.Equal(t, []string{"deploy/prod/a", "deploy/prod/b"}, p.GuardedFiles(p.At(), Touched{Paths: []string{"deploy/prod/b", "x", "deploy/prod/a"}}))
	require.Equal(t, []string{"deploy/prod"}, p.GuardedFiles(p.At(), Touched{More: true}))
	require.Equal(t, "`deploy/prod/`", s.files())
}

func TestEverythingOnTheBranchIsTheStagesWhereItBecomesWhatTheFreightIs(t *testing.T) {
	s := copying()
	require.False(t, s.Whole())
	s.Copies[0].Path, s.Copies[0].From = Everything, Everything
	require.True(t, s.Whole())
	require.True(t, s.Touches("any/file"))
	require.True(t, s.sets()[spot{path: Everything, key: EveryFile}])
	require.Equal(t, "everything", s.files())
	require.Equal(t, "the branch is not what promotion 3 copied", Value{Path: Everything, Key: EveryFile}.differs(3, ""))
}

func TestWhatLiesInAFolderThatIsCopiedIsNoFreight(t *testing.T) { // semantics 7.7
	w := Warehouse{Paths: []string{"**/*.yaml"}, Except: []string{"deploy/prod"}}
	require.False(t, w.WantsFile("deploy/prod/a.yaml"))
	require.True(t, w.WantsFile("deploy/production.yaml"))
}

func TestWhatAFreightCameWithIsWhatWasVerified(t *testing.T) {
	for name, c := range map[string]struct {
		stays []Stay
		want  SHA
	}{
		"it has never been there":           {nil, ""},
		"it was elsewhere only":             {[]Stay{{Stage: "dev", Commit: "m1", Verdict: Passed}}, ""},
		"it is there and not judged":        {[]Stay{{Stage: "staging", Commit: "m1"}}, "m1"},
		"it was verified and came again":    {[]Stay{{Stage: "staging", Commit: "m1", Verdict: Passed}, {Stage: "staging", Commit: "m2"}}, "m1"},
		"it was verified twice":             {[]Stay{{Stage: "staging", Commit: "m1", Verdict: Passed}, {Stage: "staging", Commit: "m2", Verdict: Passed}}, "m2"},
		"it failed first":                   {[]Stay{{Stage: "staging", Commit: "m1", Verdict: Bad}, {Stage: "staging", Commit: "m2", Verdict: Passed}}, "m2"},
		"it was verified and failed later":  {[]Stay{{Stage: "staging", Commit: "m1", Verdict: Passed}, {Stage: "staging", Commit: "m2", Verdict: Bad}}, "m1"},
		"it has never been good (admitted)": {[]Stay{{Stage: "staging", Commit: "m1", Verdict: Bad}, {Stage: "staging", Commit: "m2", Verdict: Bad}}, "m2"},
	} {
		require.Equal(t, c.want, CameWith(c.stays, "staging"), name)
	}
}

func TestAFolderThatIsNoLongerWhatWasCopiedDrifts(t *testing.T) {
	s := inState(Succeeded)
	s.Stage.Changes, s.Stage.Copies = nil, []Copy{{Path: "deploy", From: "src", Warehouse: "api"}}
	s.Stays[0].Wrote = []Value{{Path: "deploy", Text: "1234567890"}}
	s.Readings = []Reading{{On: s.Files(), Commit: "m2", By: bob, Values: []Value{{Path: "deploy", Text: "1234567890"}}}}
	require.Empty(t, told(Decide(s, noon)))
	s.Readings[0].Values[0].Text = ""
	d := Decide(s, noon)
	require.Equal(t, "drifted, tell drifted", told(d))
	require.Equal(t, Because(Drifted, "deploy/").With("deploy/ is not what promotion 1 copied; pushed by bob"), d.Effects[0].Reason)
}

func TestAPlanTellsOfAFolderByWhatItHoldsAndByItsFiles(t *testing.T) {
	s := inState(Succeeded)
	s.Stage.Copies = []Copy{{Path: "deploy", From: "src", Warehouse: "api"}}
	plan := Plan{Paths: []string{"deploy/a", "deploy/b"}, Values: []Value{{Path: "deploy", Text: "1234567890"}}}
	r := planReport(s, s.Freight[0].ID, []Value{{Path: "deploy"}}, plan)
	require.Equal(t, [][]string{{"deploy/", "every file", "not there", "1234567"}}, r.Rows)
	require.Contains(t, r.Notes, "Files that change, come or go: 2, which are deploy/a, deploy/b")
}

func TestAFolderIsCopiedForTheFreightOfItsWarehouseOrOfTheStageBefore(t *testing.T) { // Q15
	api := Freight{Warehouse: "api"}
	require.True(t, Copy{Warehouse: "api"}.Concerns(api))
	require.False(t, Copy{Warehouse: "web"}.Concerns(api))
	require.True(t, Copy{Stage: "staging"}.Concerns(api))
}

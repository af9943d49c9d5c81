package sandbox

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/store"
)

// TestAProcessTakesTheMergeOfAPipelineThatAnotherHasFound has two processes on one database. The first finds a
// pipeline. The second gets the webhooks of a merge there before it has read anything of it, and handles them alone.
func TestAProcessTakesTheMergeOfAPipelineThatAnotherHasFound(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	key, err := shortKey()
	require.NoError(t, err)
	github, err := githubsim.Start(githubsim.Options{Clock: clock, Offline: true,
		App: githubsim.App{PrivateKey: key}, Report: func(v error) { t.Error(v) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	require.NoError(t, github.CreateOrg("acme"))
	require.NoError(t, github.CreateUser("ann", "acme"))
	require.NoError(t, github.CreateRepo(home, map[string]string{"readme": "none\n"}))
	require.NoError(t, github.SetPermission(home, "ann", "write"))
	_, err = github.InstallApp("acme", home)
	require.NoError(t, err)
	at := settings(github, filepath.Join(t.TempDir(), "waybill.db"))
	process := func() *program {
		p, err := startStepped(t.Context(), github, at,
			app.World{Clock: clock, Steady: time.Now, Wire: github, Shared: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.kill()) })
		return p
	}
	rest := func(p *program) {
		_, err := p.restStepped(t.Context())
		require.NoError(t, err)
	}
	first, second := process(), process()
	second.steps.workers = slices.DeleteFunc(second.steps.workers, func(w *stepper) bool { return w.name != "intake" })
	change := func(files map[string]*string) {
		n, err := github.OpenPull(home, githubsim.PullSpec{Head: "change", Author: "ann", Files: files})
		require.NoError(t, err)
		_, err = github.MergePull(home, n, "ann", "squash")
		require.NoError(t, err)
	}
	change(map[string]*string{config.PipelinePath: githubsim.Text(oneStage), "dev.yaml": githubsim.Text("tag: none\n")})
	rest(first)
	change(map[string]*string{"src/a": githubsim.Text("a\n")})
	for did := true; did; {
		did, err = second.step()
		require.NoError(t, err)
	}
	require.NoError(t, second.store.View(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Ledger.PipelineByRepo(story.Home)
		require.NoError(t, err)
		all, err := tx.Facts.FreightOf(row.ID, "api", 9)
		require.Len(t, all, 1)
		return err
	}))
}

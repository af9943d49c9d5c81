package pipelines_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/pipelines"
	"waybill/promotion"
	"waybill/store"
)

const deploy = promotion.Repo("acme/deploy")

// taken is a pipeline file that takes pull requests.
const taken = `version: 1
warehouses: {api: {pull-requests: {branch: main}}}
stages: {dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}}
`

// TestWhatAnotherProcessTakesOverIsFollowed has one process take over pipeline files, and another one look for the
// warehouses of a merge.
func TestWhatAnotherProcessTakesOverIsFollowed(t *testing.T) {
	at := "sqlite://" + filepath.Join(t.TempDir(), "waybill.db")
	open := func(o store.Options) *store.Store {
		s, err := store.Open(t.Context(), at, o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	one, other := open(store.Options{Shared: true}), open(store.Options{Shared: true})
	here, there := pipelines.New(pipelines.ServerPolicy{}, time.Hour), pipelines.New(pipelines.ServerPolicy{}, time.Hour)
	save := func(file string) {
		row := store.PipelineRow{ID: 7, Repo: deploy, Installation: 3, Branch: "main", ConfigSHA: "c1", Config: []byte(file)}
		p, err := here.Compiled(row)
		require.NoError(t, err)
		require.NoError(t, one.Update(t.Context(), func(tx *store.Tx) error { return tx.Pipelines.Save(row, p) }))
	}
	takes := func() int {
		require.NoError(t, there.Follow(t.Context(), other))
		return len(there.SubscribersToMerges(deploy, "main"))
	}
	require.Zero(t, takes())
	save(taken)
	require.Empty(t, there.SubscribersToMerges(deploy, "main"))
	require.Equal(t, 1, takes())
	require.Equal(t, 1, takes(), "nothing is new")
	require.Equal(t, int64(3), there.Installation(7))
	save("")
	require.Zero(t, takes(), "its file is gone")
}

// TestACommandInARepositoryThatNoPipelineNamesIsToNoneT22 asks for the pipeline of a command in places that the
// pipeline names, and in one that it does not.
func TestACommandInARepositoryThatNoPipelineNamesIsToNoneT22(t *testing.T) {
	r := pipelines.New(pipelines.ServerPolicy{}, time.Hour)
	row := store.PipelineRow{ID: 7, Repo: deploy, Branch: "main", Config: []byte(`version: 1
warehouses: {api: {pull-requests: {repo: acme/api, branch: main}}}
stages: {dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}}
`)}
	_, err := r.Compiled(row)
	require.NoError(t, err)
	hold := promotion.Command{Verb: promotion.CmdHold, Stage: "dev"}
	for repo, is := range map[promotion.Repo]bool{deploy: true, "acme/api": true, "globex/secret": false, "": false} {
		_, p, _ := r.ForCommand(0, repo, hold)
		require.Equal(t, is, p != nil, repo)
	}
}

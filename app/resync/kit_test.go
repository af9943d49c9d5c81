package resync

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/store"
)

// home is the repository with the pipeline of these tests.
const home = "acme/app"

// mono is a pipeline whose warehouse takes a part of what is merged.
const mono = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}
`

// kit is a Resyncer with a GitHub whose webhooks go nowhere.
type kit struct {
	*testing.T
	*Resyncer
	github *githubsim.Server
	mu     sync.Mutex
	now    time.Time
}

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{T: t, now: now}
	clock := func() time.Time {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.now
	}
	server, err := githubsim.Start(githubsim.Options{Clock: clock, Report: func(v error) { t.Error(v) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	k.github = server
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	hub, err := gh.New(gh.Config{
		V3URL: server.V3URL(), V4URL: server.V4URL(), WebURL: server.URL(), AppID: server.AppID(),
		PrivateKey: []byte(server.PrivateKeyPEM()), Clock: clock, Transport: &http.Transport{},
	})
	require.NoError(t, err)
	e := env.New(env.Options{Store: db, Hub: hub, Clock: clock, Resync: config.DefaultResync,
		Metrics: prometheus.NewRegistry(), Panicked: func(text string, _ []byte) { t.Error(text) }})
	k.Resyncer = New(e, learn.New(e))
	require.NoError(t, server.CreateOrg("acme"))
	require.NoError(t, server.CreateUser("ann", "acme"))
	return k
}

// with makes the home with a pipeline, and has Waybill find it.
func (k *kit) with(pipeline string) {
	k.Helper()
	files := map[string]string{config.PipelinePath: pipeline, "dev.yaml": "tag: none\n"}
	require.NoError(k, k.github.CreateRepo(home, files))
	require.NoError(k, k.github.SetPermission(home, "ann", "write"))
	_, err := k.github.InstallApp("acme", home)
	require.NoError(k, err)
	require.NoError(k, k.All(k.Context()))
}

// pipeline returns the row of the pipeline.
func (k *kit) pipeline() store.PipelineRow {
	k.Helper()
	rows, err := k.Rows(k.Context())
	require.NoError(k, err)
	require.Len(k, rows, 1)
	return rows[0]
}

// wait lets time pass.
func (k *kit) wait(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = k.now.Add(d)
}

// merge merges a pull request of ann that changes a file.
func (k *kit) merge(path string) {
	k.Helper()
	n, err := k.github.OpenPull(home, githubsim.PullSpec{
		Title: "A change", Head: "change/" + path, Author: "ann", Files: map[string]*string{path: githubsim.Text("a\n")},
	})
	require.NoError(k, err)
	_, err = k.github.MergePull(home, n, "ann", "squash")
	require.NoError(k, err)
}

// freight returns the numbers of the pull requests that are freight, the newest first.
func (k *kit) freight() (pulls []int) {
	k.Helper()
	require.NoError(k, k.Store.View(k.Context(), func(tx *store.Tx) error {
		all, err := tx.Freight.Newest(k.pipeline().ID, "api", 100)
		for _, f := range all {
			pulls = append(pulls, f.Pull)
		}
		return err
	}))
	return pulls
}

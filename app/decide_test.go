package app

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// TestABugInOneStagePostponesItAndNoOther has two stages. The decision of one panics, that of the other succeeds.
func TestABugInOneStagePostponesItAndNoOther(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	require.NoError(t, err)
	defer db.Close()
	metrics := prometheus.NewRegistry()
	a := New(Options{Store: db, Clock: time.Now, Metrics: metrics})
	for id, stage := range []*promotion.Stage{{Name: "bad", From: []promotion.Source{{Warehouse: "w"}}}, {Name: "good"}} {
		row := store.PipelineRow{ID: int64(id + 1), Repo: promotion.Repo("acme/" + stage.Name), Branch: "main"}
		p := &promotion.Pipeline{Home: row.Repo, Branch: "main", Stages: []*promotion.Stage{stage}}
		require.NoError(t, db.Update(t.Context(), func(tx *store.Tx) error { return tx.Pipelines.Save(row, p) }))
		a.Pipelines.Put(row, p)
		if stage.Name == "bad" {
			p.Stages = []*promotion.Stage{nil}
		}
	}
	for range 2 {
		do, _, err := a.loop.DecideNext(t.Context(), store.Claim{})
		require.NoError(t, err)
		require.NotNil(t, do)
	}
	do, next, err := a.loop.DecideNext(t.Context(), store.Claim{})
	require.NoError(t, err)
	require.Nil(t, do, "both have had their turn")
	require.False(t, next.IsZero(), "the bad one gets another")
	families, err := metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "waybill_panics_total" {
			require.InDelta(t, 1, f.GetMetric()[0].GetCounter().GetValue(), 0)
			return
		}
	}
	require.Fail(t, "the panic was not counted")
}

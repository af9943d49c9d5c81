package app

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// TestANoisyPipelineKeepsNoOtherWaiting stores a thousand effects in one pipeline, and then one in another, which is
// tried in its turn. (The files of both pipelines are broken, so the effects are given up without a request to GitHub.)
func TestANoisyPipelineKeepsNoOtherWaiting(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{Clock: clock})
	require.NoError(t, err)
	defer db.Close()
	a := New(Options{Store: db, Clock: clock})
	noisy, quiet := store.StageKey{Pipeline: 1, Stage: "dev"}, store.StageKey{Pipeline: 2, Stage: "dev"}
	wantEffects(t, a, noisy, 1, 1000)
	wantEffects(t, a, quiet, 2000, 1)
	for range 3 {
		_, _, err := a.act.Take(t.Context(), store.Claim{Room: 1}) // given up when it is leased
		require.NoError(t, err)
	}
	require.NoError(t, db.View(t.Context(), func(tx *store.Tx) error {
		tried, err := tx.Outbox.EffectsOf(quiet.Pipeline, 2000)
		require.Equal(t, store.EffectFailed, tried[0].State)
		return err
	}))
}

// wantEffects creates a pipeline with one stage and some effects, each of a different promotion.
func wantEffects(t *testing.T, a *App, key store.StageKey, first, n int) {
	t.Helper()
	row := store.PipelineRow{ID: key.Pipeline, Repo: promotion.Repo("acme/" + string(rune('a'+key.Pipeline))),
		Branch: "main", Config: []byte("no pipeline")}
	p := &promotion.Pipeline{Home: row.Repo, Branch: "main", Stages: []*promotion.Stage{{Name: key.Stage}}}
	var d promotion.Decision
	for i := range n {
		d.Wanted = append(d.Wanted,
			promotion.Effect{Verb: promotion.Tell, Stage: key.Stage, Promotion: promotion.Number(first + i)})
	}
	require.NoError(t, a.Store.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.Pipelines.Save(row, p); err != nil {
			return err
		}
		b, err := tx.Ledger.Basis(p, key)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(b, d)
	}))
}

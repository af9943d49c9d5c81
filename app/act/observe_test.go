package act

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"

	_ "waybill/store/sqlite"
)

// TestSilenceCountsThoughAnotherServersClockIsBehind has one server find that a deadline has passed, and another one
// ask GitHub, whose clock says that it has not.
func TestSilenceCountsThoughAnotherServersClockIsBehind(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"),
		store.Options{Clock: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })

	warehouse := &promotion.Warehouse{Name: "api", Kind: promotion.FromPulls, Repo: "acme/api", Branch: "main"}
	smoke := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "smoke", App: "github-actions",
		Appear: time.Hour, Timeout: 2 * time.Hour}
	dev := promotion.OnePlace(&promotion.Stage{Name: "dev", From: []promotion.Source{{Warehouse: "api"}},
		Delivery: promotion.DeliveryPullRequest}, promotion.Target{
		Changes: []promotion.Change{{Path: "dev.yaml"}}, Verify: []promotion.Matcher{smoke}})
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Warehouses: []*promotion.Warehouse{warehouse},
		Stages: []*promotion.Stage{dev}}
	key := store.StageKey{Pipeline: 7, Stage: "dev"}
	decided := func(d func(*promotion.Snapshot) promotion.Decision) (made promotion.Decision) {
		require.NoError(t, db.Update(t.Context(), func(tx *store.Tx) error {
			b, err := tx.Ledger.Basis(p, key)
			if err != nil {
				return err
			}
			made = d(b.Snapshot)
			return tx.Ledger.Apply(b, made)
		}))
		return made
	}
	byItself := func(s *promotion.Snapshot) promotion.Decision { return decide.Decide(s, now) }

	f := promotion.NewFreight(warehouse, 1, "c0000001", now)
	require.NoError(t, db.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.Pipelines.Save(store.PipelineRow{ID: 7, Repo: p.Home, Branch: "main"}, p); err != nil {
			return err
		}
		_, err := tx.Freight.Record(7, f)
		return err
	}))
	one := []promotion.TargetName{""}
	merged := promotion.Promotion{Number: 1, Place: 1, Stage: "dev", Freight: f.Ref(), Class: promotion.Manual,
		State: promotion.Verifying, Queued: now, Started: now, Merged: now, MergeSHA: "m1", Rollout: &promotion.Rollout{
			Batches: []promotion.Batch{{Targets: one, AtOnce: 1}}, Step: 1, Targets: one}}
	decided(func(*promotion.Snapshot) promotion.Decision {
		return promotion.Decision{Promotions: []promotion.Promotion{merged}, Deployments: []promotion.Deployment{{
			Promotion: 1, Stage: "dev", Warehouse: "api", Freight: f.ID, Entered: now, Since: now, Commit: "m1",
			Results: []promotion.TargetResult{{Step: 1, Commit: "m1", Since: now}},
		}}}
	})

	now = now.Add(time.Hour)
	asks := decided(byItself).Wanted
	require.Len(t, asks, 1)
	require.Equal(t, promotion.Observe, asks[0].Verb)
	behind := &Executor{Env: &env.Env{Store: db, Clock: func() time.Time { return now.Add(-time.Second) }}}
	silent := promotion.OnePlace(&promotion.Stage{Name: "dev"}, // of which there is nothing to read
		promotion.Target{Changes: []promotion.Change{{Path: "dev.yaml"}}})
	record, err := behind.observe(t.Context(), &job{
		Effect:   store.Effect{Effect: asks[0], Pipeline: 7, Decided: now},
		pipeline: p, stage: silent, promotion: merged,
	})
	require.NoError(t, err)
	require.NoError(t, db.Update(t.Context(), record))

	require.Empty(t, decided(byItself).Wanted, "GitHub has been asked")
	var stands *promotion.Snapshot
	require.NoError(t, db.View(t.Context(), func(tx *store.Tx) (err error) {
		stands, err = tx.Ledger.Snapshot(p, key)
		return err
	}))
	require.Equal(t, promotion.Missing, stands.Promotion(1).Reason.Code)
}

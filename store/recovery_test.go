package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// pipelineOnFile is a database with a pipeline of one stage, of which an effect is to be carried out.
func pipelineOnFile(t *testing.T, o store.Options) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "waybill.db")
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	s := openFile(t, path, o)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Ledger.SavePipeline(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p))
		b, err := tx.Ledger.Basis(p, store.StageKey{Pipeline: 1, Stage: "dev"})
		require.NoError(t, err)
		return tx.Ledger.Apply(b, promotion.Decision{Wanted: []promotion.Effect{plan(1, 1)}})
	}))
	require.NoError(t, s.Close())
	return path
}

// staleness is what a store says of its pipeline: whether anything of it may happen, and its newest number.
type staleness struct {
	Stale   bool
	Decides bool
	Acts    bool
	Newest  promotion.Number
}

func stalenessOf(t *testing.T, s *store.Store) (is staleness) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Ledger.Pipeline(1)
		require.NoError(t, err)
		key, _, err := tx.Ledger.NextUndecided(store.StageKey{})
		require.NoError(t, err)
		e, _, err := tx.Outbox.ClaimEffect(store.Claim{Lease: time.Minute})
		require.NoError(t, err)
		if e != nil {
			require.NoError(t, tx.Outbox.RetryEffect(e, "", tx.Now))
		}
		newest, err := tx.Ledger.Newest(1)
		is = staleness{!row.Stale.IsZero(), key.Stage != "", e != nil, newest}
		return err
	}))
	return is
}

func TestAfterAnAbsenceNothingHappensBeforeAResync(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	o := store.Options{Clock: func() time.Time { return now }}
	path := pipelineOnFile(t, o)
	now = now.Add(14 * time.Minute)
	s := openFile(t, path, o)
	require.Equal(t, staleness{Acts: true}, stalenessOf(t, s), "a restart is no absence")
	require.NoError(t, s.Close())
	now = now.Add(16 * time.Minute)
	s = openFile(t, path, o)
	require.Equal(t, staleness{Stale: true}, stalenessOf(t, s))
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		n, _, err := tx.Upkeep.Backlog()
		require.NoError(t, err)
		require.EqualValues(t, 3, n, "the audit, the discovery, and of the pipeline its resync alone")
		row, err := tx.Ledger.Pipeline(1)
		require.Equal(t, now, row.ResyncDue)
		require.NoError(t, tx.Ledger.MarkFresh(1))
		return err
	}))
	require.Equal(t, staleness{Decides: true, Acts: true}, stalenessOf(t, s))
}

func TestABackupKnowsThatItIsOneWhenItIsOpened(t *testing.T) {
	path := pipelineOnFile(t, store.Options{})
	file := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, store.Backup(t.Context(), "sqlite://"+path, file))
	require.Equal(t, staleness{Acts: true}, stalenessOf(t, openFile(t, path, store.Options{})), "the original is none")
	s := openFile(t, file, store.Options{})
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, s))
	require.NoError(t, s.Close())
	s = openFile(t, file, store.Options{})
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, s), "it is noted once, and stays so")
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Ledger.NoteSeen(1, 900))
		require.NoError(t, tx.Ledger.NoteSeen(1, 1200))
		require.NoError(t, tx.Ledger.MarkFresh(1))
		events, err := tx.Audit.Events(1, 0, 100)
		var alerts int
		for _, e := range events {
			if e.Word == "restored" {
				alerts++
			}
		}
		require.Equal(t, 2, alerts)
		return err
	}))
	require.Equal(t, staleness{Decides: true, Acts: true, Newest: 2200}, stalenessOf(t, s))
}

func TestAFileThatWasToldSoIsACopy(t *testing.T) {
	path := pipelineOnFile(t, store.Options{})
	s := openFile(t, path, store.Options{})
	require.NoError(t, s.Update(t.Context(), (*store.Tx).TellCopy))
	require.NoError(t, s.Close())
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, openFile(t, path, store.Options{})))
}

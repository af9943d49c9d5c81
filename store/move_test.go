package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"waybill/internal/grown"
	"waybill/internal/pgtest"
	"waybill/store"
	"waybill/store/driver"
)

// ledger is a file with the past of a pipeline, and an empty database that it may be moved to.
type ledger struct {
	*testing.T
	file, from, to string
	copied, equal  map[string]int64 // rows of each table
}

// newLedger makes a file with so many promotions that some tables are moved in several parts.
func newLedger(t *testing.T) *ledger {
	t.Parallel()
	l := &ledger{T: t, file: filepath.Join(t.TempDir(), "waybill.db"), to: pgtest.Database(t)}
	l.from = "sqlite://" + l.file
	s := openFile(t, l.file, store.Options{})
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Pipelines.Save(row(), grownPipeline())
	}))
	require.NoError(t, s.Close())
	grown.Promotions(t, l.file, pipeline, 2000)
	s = openFile(t, l.file, store.Options{})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "before"})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return l
}

// move moves the ledger, until the context ends.
func (l *ledger) move(ctx context.Context, copied func(parts int)) error {
	l.copied, l.equal = map[string]int64{}, map[string]int64{}
	parts := 0
	return store.Move(ctx, l.from, l.to, store.Progress{
		Copied: func(table string, rows int) {
			l.copied[table] += int64(rows)
			parts++
			copied(parts)
		},
		Equal: func(m store.Moved) {
			l.equal[m.Table] = m.Rows
			require.Len(l, m.Hash, 64)
		},
	})
}

// broken moves a part of the ledger, as if the process had been ended then.
func (l *ledger) broken() {
	l.Helper()
	ctx, cancel := context.WithCancel(l.Context())
	defer cancel()
	require.ErrorIs(l, l.move(ctx, func(parts int) {
		if l.copied["events"] > 0 {
			cancel()
		}
	}), context.Canceled)
	require.Empty(l, l.equal)
	require.Less(l, l.copied["events"], int64(6000))
}

func (l *ledger) sql(statement string) {
	l.Helper()
	c, err := pgx.Connect(l.Context(), l.to)
	require.NoError(l, err)
	defer c.Close(context.Background())
	_, err = c.Exec(l.Context(), statement)
	require.NoError(l, err)
}

func TestALedgerIsMovedToAServerAsItIs(t *testing.T) {
	l := newLedger(t)
	l.broken()
	_, err := store.Open(t.Context(), l.to, store.Options{})
	require.ErrorIs(t, err, driver.ErrUnsuitable, "no server opens half a ledger")
	require.ErrorContains(t, err, "waybill migrate has not ended")
	before := l.copied["events"]

	require.NoError(t, l.move(t.Context(), func(int) {}))
	require.Equal(t, l.equal["events"], before+l.copied["events"], "it went on where it was")
	require.Zero(t, l.copied["pipelines"])
	require.Equal(t, int64(1), l.equal["pipelines"])
	require.Greater(t, l.equal["promotions"], int64(1999))

	there := openURL(t, l.to, store.Options{Clock: tomorrow})
	p := grownPipeline()
	here := snapshotsOf(t, l.file, p)
	for _, s := range here { // numbers that the file may still give are not given twice
		s.Next, s.NextID = s.Next+1000, s.NextID+1000
	}
	require.Equal(t, here, snapshotsIn(t, there, p), "decisions read the same")
	require.NoError(t, there.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Audit.Log(said(pipeline, "after")))
		row, err := tx.Pipelines.ByID(pipeline)
		require.False(t, row.Stale.IsZero(), "it is a copy: GitHub is asked before anything is decided")
		return err
	}))
	fresh, err := there.Accept(t.Context(), store.Delivery{Source: "github", GUID: "after"})
	require.NoError(t, err)
	require.True(t, fresh, "rows are numbered behind those that came along")
	require.ErrorIs(t, l.move(t.Context(), func(int) {}), driver.ErrInUse)
	require.NoError(t, there.Close())
	require.ErrorIs(t, l.move(t.Context(), func(int) {}), driver.ErrUnsuitable, "it is not empty any more")
}

func TestAMoveRefusesWhatIsNotAsItWas(t *testing.T) {
	l := newLedger(t)
	require.ErrorContains(t, store.Move(t.Context(), l.to, l.from, store.Progress{}), "not otherwise")
	require.ErrorIs(t, store.Move(t.Context(), l.from+".not", l.to, store.Progress{}), driver.ErrNotDatabase)

	s := openFile(t, l.file, store.Options{})
	require.ErrorIs(t, l.move(t.Context(), func(int) {}), driver.ErrInUse, "a server works on it")
	require.NoError(t, s.Close())
	l.broken()

	l.sql(`UPDATE pipelines SET branch = 'other'`)
	require.ErrorContains(t, l.move(t.Context(), func(int) {}), "table pipelines has 1 rows")
	_, err := store.Open(t.Context(), l.to, store.Options{})
	require.ErrorIs(t, err, driver.ErrUnsuitable)

	require.NoError(t, openFile(t, l.file, store.Options{}).Close())
	require.ErrorContains(t, l.move(t.Context(), func(int) {}), "a server has worked on the other database since")

	full := pgtest.Database(t)
	require.NoError(t, openURL(t, full, store.Options{}).Close())
	require.ErrorContains(t, store.Move(t.Context(), l.from, full, store.Progress{}), "it is not empty")
	require.NoError(t, openURL(t, full, store.Options{}).Close(), "nothing was changed there")
}

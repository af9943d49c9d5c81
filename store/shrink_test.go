package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// filled is a database with 50 MB of handled webhooks.
func filled(t *testing.T, path string) *store.Store {
	s := openFile(t, path, store.Options{})
	for i := range 50 {
		_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: fmt.Sprint(i), Body: store.Noise(1 << 20)})
		require.NoError(t, err)
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return handleOne(tx) }))
	}
	return s
}

// handleOne handles the next delivery.
func handleOne(tx *store.Tx) error {
	d, _, err := tx.Inbox.ClaimDelivery(aMinute)
	if err != nil {
		return err
	}
	return tx.Inbox.DeliveryHandled(d)
}

// pruneAll deletes all rows that retention may delete.
func pruneAll(t *testing.T, s *store.Store) {
	var p store.Pruning
	later := time.Now().Add(time.Hour)
	for !p.Done {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
			p, err = tx.Upkeep.Prune(store.Horizon{Deliveries: later, Facts: later}, p, 200)
			return err
		}))
	}
}

func TestAFileThatIsMostlyIdleIsGivenBackBitByBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s := filled(t, path)
	shrink := func() bool {
		shrunk, err := s.Shrink(t.Context())
		require.NoError(t, err)
		return shrunk
	}
	require.False(t, shrink(), "it is full")
	pruneAll(t, s)
	steps := 0
	for shrink() {
		steps++
	}
	require.Greater(t, steps, 10, "bit by bit")
	require.NoError(t, s.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(20<<20), "less than half of 50 MB")
	require.NoError(t, tryOpen(t, "sqlite://"+path))
}

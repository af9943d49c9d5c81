package store_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

func TestADeliveryThatIsRefusedDisturbsNoneOfThoseBesideIt(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	const pairs = 200
	refused, accepted := make([]error, pairs), make([]error, pairs)
	var all sync.WaitGroup
	for i := range pairs {
		all.Go(func() {
			_, refused[i] = s.Accept(t.Context(), store.Delivery{Source: "nowhere", GUID: fmt.Sprint(i)})
		})
		all.Go(func() {
			_, accepted[i] = s.Accept(t.Context(), store.Delivery{Source: "github", GUID: fmt.Sprint(i)})
		})
	}
	all.Wait()
	for i := range pairs {
		require.ErrorContains(t, refused[i], "CHECK constraint failed")
		require.NoError(t, accepted[i])
	}
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
		waiting, err := tx.Inbox.DeliveriesBefore(store.DeliveryWaiting, 0, 2*pairs)
		require.Len(t, waiting, pairs)
		return err
	}))
}

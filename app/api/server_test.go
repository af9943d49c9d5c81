package api

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/store"
)

func TestTwoReadTheDatabaseAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), "sqlite://"+path, store.Options{})
		require.NoError(t, err)
		s, err := New(Options{Store: db, Clock: time.Now})
		require.NoError(t, err)
		goOn := make(chan struct{})
		var began atomic.Int32
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() {
				assert.NoError(t, s.view(t.Context(), func(*store.Tx) error {
					began.Add(1)
					<-goOn
					return nil
				}))
			})
		}
		synctest.Wait()
		require.EqualValues(t, 2, began.Load())
		close(goOn)
		readers.Wait()
		require.EqualValues(t, 10, began.Load())
		s.Stop()
		require.NoError(t, db.Close())
	})
}

package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// test is a claim with its proof in a new world.
type test struct {
	claim string
	prove func(w *world)
}

// prove proves claims in parallel.
func prove(t *testing.T, claims []test) {
	for _, tc := range claims {
		t.Run(tc.claim, func(t *testing.T) {
			t.Parallel()
			tc.prove(newWorld(t))
		})
	}
}

func openSQLite(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "waybill.db"), o)
}

func openFile(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), "sqlite://"+path, store.Collecting(o))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

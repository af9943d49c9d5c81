package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
	"waybill/store/storetest"
)

func TestSQLitePassesTheSuite(t *testing.T) { storetest.Run(t, openSQLite) }

func openSQLite(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "waybill.db"), o)
}

func openFile(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), "sqlite://"+path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

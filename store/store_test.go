package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
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

// onPostgreSQL has the tests use databases of PostgreSQL, except those that are about files.
var onPostgreSQL = os.Getenv("WAYBILL_TEST_DATABASE") == "postgres"

// emptyDatabase returns the URL of a database that has no tables.
func emptyDatabase(t testing.TB) (url string) {
	t.Helper()
	if onPostgreSQL {
		return pgtest.Database(t)
	}
	return "sqlite://" + filepath.Join(t.TempDir(), "waybill.db")
}

// open opens a new database.
func open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return openURL(t, emptyDatabase(t), o)
}

func openFile(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	return openURL(t, "sqlite://"+path, o)
}

func openURL(t testing.TB, url string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), url, steadied(store.Collecting(o)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// steadied has leases run out by the clock of a test, if it has one, and not by a server's.
func steadied(o store.Options) store.Options {
	if o.Steady == nil && o.Clock != nil {
		o.Steady = o.Clock
	}
	return o
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store/driver"
)

// TestTroubleOfTheDatabaseIsOverWhenItCanBeWrittenAgain: small writes succeed on a full disk, and do not count.
func TestTroubleOfTheDatabaseIsOverWhenItCanBeWrittenAgain(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"),
		Collecting(Options{Clock: func() time.Time { return now }}))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Trouble())
	require.False(t, s.Mend(t.Context()), "nothing is to be mended")

	limit(t, s, "1")
	_, err = s.Accept(t.Context(), Delivery{Source: "github", GUID: "big", Body: Noise(1 << 20)})
	require.ErrorIs(t, err, driver.ErrDiskFull)
	_, err = s.Accept(t.Context(), Delivery{Source: "github", GUID: "small"})
	require.NoError(t, err)
	require.ErrorIs(t, s.Trouble(), driver.ErrDiskFull)
	require.ErrorContains(t, s.Trouble(), "make room")
	require.False(t, s.Mend(t.Context()), "it has just failed")

	now = now.Add(calm)
	require.True(t, s.Mend(t.Context()))
	require.NoError(t, s.Trouble())
}

func TestErrorsThatAreNotTheDatabasesAreNoTrouble(t *testing.T) {
	s, err := Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), Options{})
	require.NoError(t, err)
	defer s.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.Update(ended, func(*Tx) error { return nil }))
	require.ErrorIs(t, s.View(t.Context(), func(*Tx) error { return ErrNotFound }), ErrNotFound)
	require.NoError(t, s.Trouble())
}

// TestACallThatIsOutOfTimeMayBeMadeAgain has calls whose time is over before their turn has come. That gives nothing
// up, and is no trouble.
func TestACallThatIsOutOfTimeMayBeMadeAgain(t *testing.T) {
	s, err := Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), Options{})
	require.NoError(t, err)
	defer s.Close()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, ctx := range []context.Context{late, ended} {
		for name, err := range map[string]error{
			"update": s.Update(ctx, func(*Tx) error { return nil }), "view": s.View(ctx, func(*Tx) error { return nil }),
		} {
			require.ErrorIs(t, err, ctx.Err(), name)
			var again interface {
				Again() (time.Duration, bool)
			}
			require.ErrorAs(t, err, &again, name)
		}
	}
	require.NoError(t, s.Trouble())
}

// TestACommitThatMayOrMayNotBeThereIsTroubleAlsoWhereTimeIsOut has the database lose the answer to a commit because the
// time of its caller was over.
func TestACommitThatMayOrMayNotBeThereIsTroubleAlsoWhereTimeIsOut(t *testing.T) {
	w := &watched{steady: time.Now}
	var again interface {
		Again() (time.Duration, bool)
	}
	require.ErrorAs(t, w.note(errors.Join(driver.ErrUncertain, context.DeadlineExceeded)), &again)
	require.ErrorIs(t, w.trouble, driver.ErrUncertain)
}

// TestDamageIsTroubleUntilAnotherFileIsOpened: damage is met now and then, and other rows can still be written.
func TestDamageIsTroubleUntilAnotherFileIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	now := time.Now()
	open := func() *Store {
		s, err := Open(t.Context(), "sqlite://"+path, Options{Clock: func() time.Time { return now }})
		require.NoError(t, err)
		return s
	}
	s := open()
	_, err := s.Accept(t.Context(), Delivery{Source: "github", GUID: "large", Body: Noise(20 << 20)})
	require.NoError(t, err, "a file so large that it is not checked from end to end at the start")
	require.NoError(t, s.Close())
	damage(t, path, "warehouses")

	s = open()
	require.NoError(t, s.Trouble(), "it has not been read yet")
	require.ErrorIs(t, s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.one([]any{new(int)}, `SELECT COALESCE(MAX(since_at), 0) FROM warehouses`)
		return err
	}), driver.ErrDamaged)
	now = now.Add(time.Hour)
	require.False(t, s.Mend(t.Context()))
	_, err = s.Accept(t.Context(), Delivery{Source: "github", GUID: "next"})
	require.NoError(t, err)
	require.ErrorIs(t, s.Trouble(), driver.ErrDamaged)
	require.NoError(t, s.Close())
}

// TestALookForWorkInADamagedTableIsTrouble: it is the only statement of a server at rest.
func TestALookForWorkInADamagedTableIsTrouble(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	_, err = s.Accept(t.Context(), Delivery{Source: "github", GUID: "large", Body: Noise(20 << 20)})
	require.NoError(t, err, "a file so large that it is not checked from end to end at the start")
	require.NoError(t, s.Close())
	damage(t, path, "views_due")

	s, err = Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	defer s.Close()
	_, _, err = s.Due(t.Context(), ViewsToDo)
	require.ErrorIs(t, err, driver.ErrDamaged)
	require.ErrorIs(t, s.Trouble(), driver.ErrDamaged)
}

// damage overwrites the first page of a table or an index.
func damage(t *testing.T, path, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	var page, size int64
	require.NoError(t, db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = ?`, table).Scan(&page))
	require.NoError(t, db.QueryRow(`PRAGMA page_size`).Scan(&size))
	require.NoError(t, db.Close())
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(make([]byte, size), (page-1)*size)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

package store

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"waybill/store/driver"

	"github.com/stretchr/testify/require"
)

// limit sets the maximum number of pages of the file, to act like a full disk. No other database has this statement, so
// it is not collected.
func limit(t *testing.T, s *Store, pages string) {
	t.Helper()
	require.NoError(t, s.watched.Update(t.Context(), func(c driver.Conn) error {
		_, err := s.newTx(c).one([]any{new(int)}, `PRAGMA max_page_count = `+pages)
		return err
	}))
}

func TestAFullDiskIsAnErrorAndLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	defer s.Close()
	big := Delivery{Source: "github", GUID: "big", Body: Noise(1 << 20)}
	small := Delivery{Source: "github", GUID: "small"}

	limit(t, s, "1") // the file cannot grow
	_, err = s.Accept(t.Context(), big)
	require.ErrorIs(t, err, driver.ErrDiskFull)
	require.ErrorContains(t, err, "make room")
	_, err = s.Accept(t.Context(), small)
	require.NoError(t, err, "what fits is still taken")

	limit(t, s, "100000")
	fresh, err := s.Accept(t.Context(), big)
	require.NoError(t, err)
	require.True(t, fresh, "nothing of it was there")
	fresh, err = s.Accept(t.Context(), small)
	require.NoError(t, err)
	require.False(t, fresh)
}

func TestWhoSharesATransactionWithWhatFillsTheDiskIsToldTheTruth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), Options{})
		require.NoError(t, err)
		defer s.Close()
		limit(t, s, "1")
		errs := make([]error, 3)
		var all sync.WaitGroup
		all.Go(func() {
			_ = s.Update(t.Context(), func(*Tx) error {
				for i, size := range []int{10, 1 << 20, 10} {
					all.Go(func() {
						_, errs[i] = s.Accept(t.Context(), Delivery{Source: "github", GUID: fmt.Sprint(i), Body: Noise(size)})
					})
					synctest.Wait() // until it waits for the next transaction
				}
				return nil
			})
		})
		all.Wait()
		require.ErrorIs(t, errs[1], driver.ErrDiskFull)
		require.NoError(t, errs[2], "it came into the next transaction")
		for i, told := range errs {
			err := s.View(t.Context(), func(tx *Tx) error {
				_, err := tx.Inbox.Delivery(fmt.Sprintf("github:%d", i))
				return err
			})
			require.Equal(t, told == nil, err == nil, "delivery %d: %v, %v", i, told, err)
		}
	})
}

func TestACommitSurvivesAPowerCut(t *testing.T) {
	s, err := Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), Options{})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Update(t.Context(), func(tx *Tx) error {
		for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1"} {
			var have string
			_, err := tx.one([]any{&have}, "PRAGMA "+pragma)
			require.NoError(t, err)
			require.Equal(t, want, have, pragma)
		}
		return nil
	}))
	require.Error(t, s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.exec(`UPDATE counters SET n = 99`)
		return err
	}), "a reader cannot write")
}

package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
	"waybill/store"
	"waybill/store/driver"
)

// later is a schema some versions after that of the program. Each upgrade adds a column, and keeps what is there.
func later(versions int) driver.Schema {
	s := store.Schema()
	for n := range versions {
		s.Upgrades = append(s.Upgrades, driver.Upgrade{
			From: s.Digest, Text: fmt.Sprintf(`ALTER TABLE deliveries ADD COLUMN later_%d TEXT NOT NULL DEFAULT 'new'`, n),
		})
		s.Version, s.Digest = s.Version+1, fmt.Sprint("later ", n)
	}
	return s
}

// upgraded opens a database with a later schema, and returns the copies that were made.
func upgraded(t *testing.T, url string, s driver.Schema, at time.Time) (copies []string, err error) {
	t.Helper()
	opened, err := store.Open(t.Context(), url, store.WithSchema(store.Options{
		Clock: func() time.Time { return at }, Copied: func(file string) { copies = append(copies, file) },
	}, s))
	if err == nil {
		err = opened.Close()
	}
	return copies, err
}

// accepted puts a delivery into a database of the program's version.
func accepted(t *testing.T, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Options{})
	require.NoError(t, err)
	_, err = s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
	require.NoError(t, errors.Join(err, s.Close()))
}

func TestAFileOfAnEarlierVersionIsCopiedAndUpgraded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd name [41]é.db")
	url := "sqlite://" + path
	accepted(t, url)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	copies, err := upgraded(t, url, store.Schema(), at)
	require.NoError(t, err)
	require.Empty(t, copies, "nothing is changed")

	copies, err = upgraded(t, url, later(2), at)
	require.NoError(t, err)
	require.Equal(t, []string{path + ".before-upgrade-20260302T090000.000000-v1"}, copies)
	db, err := sql.Open("sqlite", "file:"+strings.ReplaceAll(path, " ", "%20"))
	require.NoError(t, err)
	defer db.Close()
	var guid, first, second, digest string
	var version int64
	require.NoError(t, db.QueryRow(`SELECT guid, later_0, later_1, version, digest FROM deliveries, schema_version`).
		Scan(&guid, &first, &second, &version, &digest))
	require.Equal(t, []any{"g1", "new", "new", int64(3), "later 1"}, []any{guid, first, second, version, digest})
	info, err := os.Stat(copies[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	copies, err = upgraded(t, url, later(2), at)
	require.NoError(t, err)
	require.Empty(t, copies, "it has this version now")
	_, err = upgraded(t, url, store.Schema(), at)
	require.ErrorIs(t, err, driver.ErrNewer)
	copied := path + ".before-upgrade-20260302T090000.000000-v1"
	s := openFile(t, copied, store.Options{})
	fresh, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
	require.NoError(t, err)
	require.False(t, fresh, "the program that knows version 1 goes on with the copy")
}

func TestOfTheCopiesBeforeUpgradesTheLastAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	accepted(t, "sqlite://"+path)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	require.NoError(t, os.WriteFile(path+".before-upgrade-20260101T000000.000000-v1.part", nil, 0o600))
	require.NoError(t, os.WriteFile(path+".mine", nil, 0o600))
	const beside = ".before-upgrade-20990101T000000.000000-v1" // behind all others
	for _, name := range []string{beside + ".lock", beside + "-wal", beside + "-shm", ".before-upgrade-by-me"} {
		require.NoError(t, os.WriteFile(path+name, nil, 0o600))
	}
	require.NoError(t, os.WriteFile(path+beside+".part", nil, 0o600))
	var made []string
	for n := range 4 {
		copies, err := upgraded(t, "sqlite://"+path, later(n+1), at.Add(time.Duration(n)*time.Hour))
		require.NoError(t, err)
		made = append(made, copies...)
	}
	require.Len(t, made, 4)
	left, err := filepath.Glob(path + ".*")
	require.NoError(t, err)
	require.Equal(t, []string{made[2], made[3], path + beside + "-shm", path + beside + "-wal", path + beside + ".lock",
		path + ".before-upgrade-by-me", path + ".lock", path + ".mine"}, left)
}

func TestAnUpgradeThatFailsLeavesTheEarlierCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	accepted(t, "sqlite://"+path)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	made, err := upgraded(t, "sqlite://"+path, later(1), at)
	require.NoError(t, err)
	broken := later(1)
	broken.Upgrades = append(broken.Upgrades, driver.Upgrade{From: broken.Digest, Text: `ALTER TABLE nothing ADD x TEXT`})
	broken.Version, broken.Digest = broken.Version+1, "broken"
	for n := range 3 {
		copies, err := upgraded(t, "sqlite://"+path, broken, at.Add(time.Duration(n+1)*time.Hour))
		require.ErrorContains(t, err, "change its tables, which are as they were")
		require.Empty(t, copies)
	}
	left, err := filepath.Glob(path + ".before-*")
	require.NoError(t, err)
	require.Equal(t, made, left)
}

func TestAnUpgradeThatFailsLeavesADatabaseAsItWas(t *testing.T) {
	broken := later(1)
	broken.Upgrades = append(broken.Upgrades, driver.Upgrade{From: broken.Digest, Text: `ALTER TABLE nothing ADD x TEXT`})
	broken.Version, broken.Digest = broken.Version+1, "broken"
	for name, url := range map[string]func(t testing.TB) string{
		"file":   func(t testing.TB) string { return "sqlite://" + filepath.Join(t.TempDir(), "waybill.db") },
		"server": pgtest.Database,
	} {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			accepted(t, at)
			_, err := upgraded(t, at, broken, time.Now())
			require.ErrorContains(t, err, "change its tables, which are as they were")
			accepted(t, at) // by the version that made it
			_, err = upgraded(t, at, later(2), time.Now())
			require.NoError(t, err)
			require.ErrorIs(t, store.Read(t.Context(), at, func(*store.Tx) error { return nil }), driver.ErrNewer)
		})
	}
}

// adding returns a later schema whose upgrades only add.
func adding(versions int) driver.Schema {
	s := later(versions)
	for i := range s.Upgrades {
		s.Upgrades[i].Adds = true
	}
	return s
}

// TestTheProgramBeforeGoesOnWithWhatWasOnlyAdded upgrades a database and goes back to the program before, which works
// as if nothing had been added. An upgrade that changes more takes the way back.
func TestTheProgramBeforeGoesOnWithWhatWasOnlyAdded(t *testing.T) {
	for name, url := range map[string]func(t testing.TB) string{
		"file":   func(t testing.TB) string { return "sqlite://" + filepath.Join(t.TempDir(), "waybill.db") },
		"server": pgtest.Database,
	} {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			accepted(t, at)
			_, err := upgraded(t, at, adding(2), time.Now())
			require.NoError(t, err)
			s := openURL(t, at, store.Options{})
			fresh, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
			require.NoError(t, err)
			require.False(t, fresh)
			fresh, err = s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g2"})
			require.NoError(t, err)
			require.True(t, fresh)
			require.NoError(t, s.Close())
			require.NoError(t, store.Read(t.Context(), at, func(tx *store.Tx) error {
				_, err := tx.Inbox.Delivery("github:g2")
				return err
			}))

			breaking := later(3)
			breaking.Upgrades[0].Adds, breaking.Upgrades[1].Adds = true, true
			_, err = upgraded(t, at, breaking, time.Now())
			require.NoError(t, err)
			require.ErrorIs(t, tryOpen(t, at), driver.ErrNewer)
			_, err = upgraded(t, at, adding(2), time.Now())
			require.ErrorIs(t, err, driver.ErrNewer)
		})
	}
}

// TestServersOfTwoVersionsWorkOnOneDatabase if the later one only adds. Else it does not start before the earlier ones
// have ended.
func TestServersOfTwoVersionsWorkOnOneDatabase(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	several := store.Options{Shared: true}
	before := openURL(t, at, several)
	open := func(s driver.Schema) (*store.Store, error) {
		return store.Open(t.Context(), at, store.WithSchema(several, s))
	}
	_, err := open(later(1))
	require.ErrorIs(t, err, driver.ErrInUse)
	require.ErrorContains(t, err, "stop them all")
	after, err := open(adding(1))
	require.NoError(t, err)
	for i, s := range []*store.Store{before, after, before, after} {
		fresh, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: fmt.Sprint(i)})
		require.NoError(t, err)
		require.True(t, fresh)
	}
	again := openURL(t, at, several)
	for _, s := range []*store.Store{before, after, again} {
		require.NoError(t, s.Close())
	}
	breaking := later(2)
	breaking.Upgrades[0].Adds = true
	after, err = open(breaking)
	require.NoError(t, err, "all have ended")
	require.NoError(t, after.Close())
}

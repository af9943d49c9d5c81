package store_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
	"waybill/store/driver"
)

// tryOpen opens a database and returns the error.
func tryOpen(t *testing.T, url string) error {
	t.Helper()
	s, err := store.Open(context.Background(), url, store.Options{})
	if err == nil {
		require.NoError(t, s.Close())
	}
	return err
}

func TestANewDatabaseIsForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	openFile(t, path, store.Options{})
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), suffix)
	}
}

func TestWhatIsStoredIsThereAfterTheNextStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd name %41é.db")
	s := openFile(t, path, store.Options{})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.FileExists(t, path)
	require.NoFileExists(t, path+"-wal", "everything is in the file")

	fresh, err := openFile(t, path, store.Options{}).Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
	require.NoError(t, err)
	require.False(t, fresh)
}

func TestTheNextStartTakesOverWhatTheLastOneHadClaimed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	claim := func(s *store.Store) (d *store.Delivery) {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
			d, _, err = tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Hour})
			return err
		}))
		return d
	}
	s := openFile(t, path, store.Options{})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1"})
	require.NoError(t, err)
	require.NotNil(t, claim(s))
	require.Nil(t, claim(s))
	require.NoError(t, s.Close())
	require.Equal(t, 2, claim(openFile(t, path, store.Options{})).Attempts)
}

func TestTheNextStartDoesNotWithdrawWhatHasBegun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	key := store.StageKey{Pipeline: 1, Stage: "dev"}
	want := func(tx *store.Tx, effects ...promotion.Effect) error {
		basis, err := tx.Ledger.Basis(p, key)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(basis, promotion.Decision{Wanted: effects})
	}
	claim := func(tx *store.Tx) (e *store.Effect, err error) {
		e, _, err = tx.Outbox.ClaimEffect(store.Claim{Lease: time.Hour})
		return e, err
	}
	s := openFile(t, path, store.Options{})
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p))
		require.NoError(t, want(tx, plan(1, 1)))
		_, err := claim(tx)
		return err
	}))
	require.NoError(t, s.Close())
	require.NoError(t, openFile(t, path, store.Options{}).Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, want(tx))
		e, err := claim(tx)
		require.NotNil(t, e)
		require.Equal(t, 2, e.Attempts, "it is looked up first")
		return err
	}))
}

func TestADatabaseInUseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s := openFile(t, path, store.Options{})
	err := tryOpen(t, "sqlite://"+path)
	require.ErrorIs(t, err, driver.ErrInUse)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "process ")
	require.NoError(t, s.Update(t.Context(), func(*store.Tx) error { return nil }))
	require.NoError(t, s.Close())
	require.NoError(t, tryOpen(t, "sqlite://"+path))
}

func TestADatabaseInUseIsLeftAloneByWhicheverNameItIsOpened(t *testing.T) {
	dir := t.TempDir()
	path, link, folder := filepath.Join(dir, "waybill.db"), filepath.Join(dir, "link.db"), filepath.Join(t.TempDir(), "d")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, os.Symlink(dir, folder))
	s := openFile(t, path, store.Options{})
	for _, other := range []string{link, filepath.Join(folder, "waybill.db"), filepath.Join(folder, "link.db")} {
		require.ErrorIs(t, tryOpen(t, "sqlite://"+other), driver.ErrInUse, other)
	}
	hard := filepath.Join(dir, "hard.db")
	require.NoError(t, os.Link(path, hard))
	require.ErrorContains(t, tryOpen(t, "sqlite://"+hard), "2 names (hard links)")
	require.NoError(t, s.Close())
	require.Error(t, tryOpen(t, "sqlite://"+path), "it could be opened under the other name")
	require.NoError(t, os.Remove(hard))
	require.NoError(t, tryOpen(t, "sqlite://"+link))
	require.NoFileExists(t, link+".lock")
}

func TestADatabaseIsMadeThroughALinkToItsFolder(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "d")
	require.NoError(t, os.Symlink(dir, folder))
	s := openFile(t, filepath.Join(folder, "waybill.db"), store.Options{})
	require.ErrorIs(t, tryOpen(t, "sqlite://"+filepath.Join(dir, "waybill.db")), driver.ErrInUse)
	require.NoError(t, s.Close())
}

// change runs a statement on a database file that no process has open.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec(statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// closed makes a database with a delivery and closes it.
func closed(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "waybill.db")
	s := openFile(t, path, store.Options{})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1", Body: store.Noise(20_000)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return path
}

func TestADatabaseThatCannotBeUsedIsNamedWithARemedyAndLeftAsItIs(t *testing.T) {
	rewrite := func(f func(content []byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, f(content), 0o600))
		}
	}
	for _, tc := range []struct {
		name   string
		spoil  func(t *testing.T, path string)
		class  error
		remedy string
	}{
		{"of a newer version", func(t *testing.T, path string) {
			change(t, path, `UPDATE schema_version SET version = 999, oldest = 999`)
		}, driver.ErrNewer, "run the newer Waybill"},
		{"of another schema", func(t *testing.T, path string) {
			change(t, path, `UPDATE schema_version SET digest = 'other'`)
		}, driver.ErrOlder, "choose another path"},
		{"from before there was one schema", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			change(t, path, `CREATE TABLE schema_versions (version BIGINT)`)
		}, driver.ErrOlder, "choose another path"},
		{"of another program", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			change(t, path, `CREATE TABLE recipes (name TEXT)`)
		}, driver.ErrNotDatabase, "choose another path"},
		{"a text file", rewrite(func([]byte) []byte { return []byte("Dear diary, nothing happened today.") }),
			driver.ErrNotDatabase, "choose another path"},
		{"cut off", rewrite(func(c []byte) []byte { return c[:len(c)-5000] }), driver.ErrDamaged, "restore a backup"},
		{"cut off in its header", rewrite(func(c []byte) []byte { return c[:50] }), driver.ErrDamaged, "restore a backup"},
		{"overwritten in the middle", rewrite(func(c []byte) []byte {
			clear(c[4096 : len(c)-4096])
			return c
		}), driver.ErrDamaged, "restore a backup"},
		{"read-only", func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o400)) },
			driver.ErrReadOnly, "chmod u+w"},
		{"a directory", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}, driver.ErrNotDatabase, "name a file in it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := closed(t)
			tc.spoil(t, path)
			before, _ := os.ReadFile(path)
			err := tryOpen(t, "sqlite://"+path)
			require.ErrorIs(t, err, tc.class)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, tc.remedy)
			after, _ := os.ReadFile(path)
			require.Equal(t, before, after)
		})
	}
}

func TestADirectoryThatIsMissingIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	err := tryOpen(t, "sqlite://"+filepath.Join(dir, "waybill.db"))
	require.ErrorContains(t, err, "directory "+dir+" does not exist: create it")
}

func TestAnEmptyFileIsANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, tryOpen(t, "sqlite://"+path))
}

func TestOtherURLsAreNotTakenAndNoPasswordIsRepeated(t *testing.T) {
	for _, url := range []string{
		"waybill.db", "sqlite://", "mysql://bot:hunter2@db/waybill", "sqlite://w.db?mode=memory", "sqlite://w.db#x",
	} {
		err := tryOpen(t, url)
		require.ErrorContains(t, err, "sqlite://", url)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestADiskThatIsFullAtTheStartIsNamedAndTheNextStartWorks(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=128k", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: a small disk takes the right to mount one: %s", out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })
	path := filepath.Join(dir, "waybill.db")
	err := tryOpen(t, "sqlite://"+path)
	require.ErrorIs(t, err, driver.ErrDiskFull)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "make room")
	require.NoError(t, exec.Command("mount", "-o", "remount,size=8m", dir).Run())
	require.NoError(t, tryOpen(t, "sqlite://"+path))
}

func TestABackupIsTakenWhileTheStoreIsWrittenTo(t *testing.T) {
	from := filepath.Join(t.TempDir(), "waybill.db")
	s := openFile(t, from, store.Options{})
	accept := func(guid string) {
		_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: guid})
		require.NoError(t, err)
	}
	accept("before")
	path := filepath.Join(t.TempDir(), "copy's \"name\".db")
	require.NoError(t, store.Backup(t.Context(), "sqlite://"+from, path))
	accept("after")
	require.Error(t, store.Backup(t.Context(), "sqlite://"+from, path), "what exists is not overwritten")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	copied := openFile(t, path, store.Options{})
	require.NoError(t, copied.View(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Inbox.Delivery("github:before")
		require.NoError(t, err)
		_, err = tx.Inbox.Delivery("github:after")
		require.ErrorIs(t, err, store.ErrNotFound)
		return nil
	}))
}

func TestABackupThatCannotBeWholeLeavesNothingThatLooksLikeOne(t *testing.T) {
	from, dir := closed(t), t.TempDir()
	to := filepath.Join(dir, "copy.db")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, store.Backup(gone, "sqlite://"+from, to))
	require.ErrorContains(t, store.Backup(t.Context(), "sqlite://"+from, to+"?"), "choose one without")
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	clear(content[len(content)-20_000:]) // the file opens, but not all of it can be read
	require.NoError(t, os.WriteFile(from, content, 0o600))
	require.ErrorIs(t, store.Backup(t.Context(), "sqlite://"+from, to), driver.ErrDamaged)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	require.NoError(t, os.WriteFile(to+".part", nil, 0o600))
	require.ErrorContains(t, store.Backup(t.Context(), "sqlite://"+closed(t), to), "remove that")
	require.NoFileExists(t, to)
}

func TestARestartLeavesNothingToDoThatWasDone(t *testing.T) { // F24
	path := filepath.Join(t.TempDir(), "waybill.db")
	s := openFile(t, path, store.Options{})
	stage := &promotion.Stage{Name: "dev"}
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{stage}}
	key := store.StageKey{Pipeline: 1, Stage: "dev"}
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p))
		snapshot, err := tx.Ledger.Basis(p, key)
		require.NoError(t, err)
		require.NoError(t, tx.Ledger.Apply(snapshot, promotion.Decision{}))
		for _, name := range []string{store.ClockAudit, store.ClockDiscovery} {
			c, err := tx.Clocks.TakeClock(name, 0, time.Minute)
			require.NoError(t, err)
			require.NoError(t, tx.Clocks.ClockDone(&c, tx.Now, tx.Now.Add(24*time.Hour)))
		}
		resync, err := tx.Clocks.TakeClock(store.ClockResync, 1, time.Minute)
		require.NoError(t, err)
		return tx.Clocks.Resynced(&resync, "m0", tx.Now)
	}))
	require.NoError(t, s.Close())
	require.NoError(t, openFile(t, path, store.Options{}).View(t.Context(), func(tx *store.Tx) error {
		n, next, err := tx.Upkeep.Backlog()
		require.Zero(t, n)
		require.True(t, next.After(tx.Now.Add(8*time.Hour)), "the clock of its resync goes on")
		return err
	}))
}

// TestWorkOfADeadProcessWaitsWithItsQueue: a process that dies while it requests a redelivery leaves a row in a paused
// queue. The row is not due before the pause is over, although it was leased.
func TestWorkOfADeadProcessWaitsWithItsQueue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, now, others := openFile(t, path, store.Options{}), time.Time{}, int64(0)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
		now = tx.Now
		others, _, err = tx.Upkeep.Backlog()
		require.NoError(t, err)
		_, err = tx.Inbox.RecordMissed(store.Missed{GUID: "a", Attempt: 1, First: now, RunAt: now})
		require.NoError(t, err)
		m, _, err := tx.Inbox.ClaimMissed(store.Claim{Lease: time.Minute}, time.Hour)
		require.NotNil(t, m)
		return err
	}))
	require.NoError(t, s.Close())
	require.NoError(t, openFile(t, path, store.Options{}).View(t.Context(), func(tx *store.Tx) error {
		n, next, err := tx.Upkeep.Backlog()
		require.Equal(t, others, n)
		require.Equal(t, now.Add(time.Hour), next)
		return err
	}))
}

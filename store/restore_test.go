package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
	"waybill/store/driver"
)

// heard reports whether the database at a path knows a delivery.
func heard(t *testing.T, path, guid string) bool {
	t.Helper()
	s := openFile(t, path, store.Options{})
	fresh, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: guid})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return !fresh
}

// deliver has the database at a path hear of a delivery.
func deliver(t *testing.T, path, guid string) { require.False(t, heard(t, path, guid)) }

// backedUp makes a database that has heard of a delivery, and returns its path and a backup of it.
func backedUp(t *testing.T, guid string) (path string, from []byte) {
	t.Helper()
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "waybill.db"), filepath.Join(dir, "copy.db")
	deliver(t, path, guid)
	require.NoError(t, store.Backup(t.Context(), "sqlite://"+path, copied))
	from, err := os.ReadFile(copied)
	require.NoError(t, err)
	return path, from
}

func restore(t *testing.T, path string, from []byte) (kept string, err error) {
	t.Helper()
	return store.Restore(t.Context(), "sqlite://"+path, bytes.NewReader(from), time.Now().UTC())
}

func TestARestoredCopyTakesThePlaceOfTheDatabaseWhichStaysBesideIt(t *testing.T) {
	path, from := backedUp(t, "before")
	require.WithinDuration(t, time.Now(), store.LastBackup("sqlite://"+path), time.Minute)
	require.Zero(t, store.LastBackup("sqlite://"+path+".another"))
	deliver(t, path, "after")

	// A process that was killed leaves what it has written last in the log beside the file.
	s := openFile(t, path, store.Options{})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "last"})
	require.NoError(t, err)
	_, err = restore(t, path, from)
	require.ErrorIs(t, err, driver.ErrInUse)
	killed := filepath.Join(t.TempDir(), "waybill.db")
	for _, suffix := range []string{"", "-wal"} {
		left, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(killed+suffix, left, 0o600))
	}
	require.NoError(t, s.Close())

	kept, err := restore(t, killed, from)
	require.NoError(t, err)
	info, err := os.Stat(killed)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.True(t, heard(t, killed, "before"))
	require.False(t, heard(t, killed, "after"))
	for _, guid := range []string{"before", "after", "last"} {
		require.True(t, heard(t, kept, guid), guid)
	}
	require.NoFileExists(t, killed+".restored.part")
}

func TestACopyIsRestoredWhereNothingIs(t *testing.T) {
	_, from := backedUp(t, "g")
	fresh := filepath.Join(t.TempDir(), "waybill.db")
	require.NoError(t, os.WriteFile(fresh+"-wal", []byte("the log of a file that is gone"), 0o600))
	kept, err := restore(t, fresh, from)
	require.NoError(t, err)
	require.Empty(t, kept)
	require.True(t, heard(t, fresh, "g"))
}

// TestARestoreThatWasCutOffIsRunAgain has the process die between the two names of the file.
func TestARestoreThatWasCutOffIsRunAgain(t *testing.T) {
	path, from := backedUp(t, "g")
	require.NoError(t, os.WriteFile(path+".restored.part", from[:100], 0o600))
	require.NoError(t, os.Link(path, path+".before-restore-1"))
	require.ErrorContains(t, tryOpen(t, "sqlite://"+path), "2 names")
	_, err := restore(t, path, from)
	require.NoError(t, err)
	require.True(t, heard(t, path, "g"))
}

// TestARestoreThatFailsAtTheEndLeavesTheDatabaseAsItWas has something in the way of the last step but one.
func TestARestoreThatFailsAtTheEndLeavesTheDatabaseAsItWas(t *testing.T) {
	path, from := backedUp(t, "before")
	deliver(t, path, "after")
	inTheWay := path + "-shm"
	require.NoError(t, os.MkdirAll(filepath.Join(inTheWay, "a folder"), 0o700))
	require.NoError(t, os.WriteFile(path+"-wal", []byte("its log"), 0o600))
	_, err := restore(t, path, from)
	require.Error(t, err)
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.Equal(t, "its log", string(log))
	require.NoError(t, os.RemoveAll(inTheWay))
	require.NoError(t, os.Remove(path+"-wal"))
	require.True(t, heard(t, path, "after"))
}

// TestNothingIsRestoredBesideTheLogOfAFileThatIsGone: it would be taken for the copy's own.
func TestNothingIsRestoredBesideTheLogOfAFileThatIsGone(t *testing.T) {
	_, from := backedUp(t, "g")
	fresh := filepath.Join(t.TempDir(), "waybill.db")
	require.NoError(t, os.MkdirAll(filepath.Join(fresh+"-wal", "a folder"), 0o700)) // what cannot be removed
	_, err := restore(t, fresh, from)
	require.Error(t, err)
	require.NoFileExists(t, fresh)
}

func TestWhatIsNoCopyIsNotRestoredAndTheDatabaseIsAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	deliver(t, path, "g")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	another := filepath.Join(t.TempDir(), "another.db")
	change(t, another, `CREATE TABLE theirs (x)`)
	theirs, err := os.ReadFile(another)
	require.NoError(t, err)
	change(t, path, `UPDATE schema_version SET version = version + 1, oldest = version + 1, digest = 'a later one'`)
	newer, err := os.ReadFile(path)
	require.NoError(t, err)
	change(t, path, `UPDATE schema_version SET version = version - 1, oldest = version - 1`)
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	damaged := bytes.Clone(whole)
	for i := 20_000; i < 40_000; i++ {
		damaged[i] = 'x'
	}
	for _, row := range []struct {
		name, says string
		from       []byte
	}{
		{"nothing", "the copy is empty", nil},
		{"text", "the copy cannot be used: not a Waybill database", []byte(strings.Repeat("text ", 100))},
		{"a part of one", "is damaged", whole[:len(whole)/2]},
		{"a damaged one", "damaged", damaged},
		{"that of another program", "another program made it", theirs},
		{"that of a later version", "newer", newer},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := restore(t, path, row.from)
			require.ErrorContains(t, err, "restore "+path)
			require.ErrorContains(t, err, row.says)
			now, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, whole, now)
			beside, err := filepath.Glob(path + ".*")
			require.NoError(t, err)
			require.Equal(t, []string{path + ".lock"}, beside)
		})
	}
	_, err = store.Restore(t.Context(), "postgres://ann:secret@127.0.0.1/waybill", bytes.NewReader(whole), time.Now())
	require.ErrorContains(t, err, "pg_restore")
	require.NotContains(t, err.Error(), "secret")
}

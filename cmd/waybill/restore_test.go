package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRestoreGoesBackToACopyAndSaysWhereWhatWasThereIs(t *testing.T) {
	file, s := trailed(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	code, _, errs := with(t, file, "backup", copied)
	require.Zero(t, code, errs)
	logged(t, s, 7, "after the copy")
	code, _, errs = with(t, file, "restore", copied)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "stop it first")
	require.NoError(t, s.Close())

	code, out, errs := with(t, file, "restore", copied)
	require.Zero(t, code, errs)
	require.Regexp(t, "^restored sqlite://"+file+"\nwhat was there is "+file+`\.before-restore-\S+: remove it`, out)
	_, trail, _ := with(t, file, "export")
	require.Contains(t, trail, "an alert")
	require.NotContains(t, trail, "after the copy")

	from, err := os.ReadFile(copied)
	require.NoError(t, err)
	fresh, input := filepath.Join(t.TempDir(), "waybill.db"), new(bytes.Buffer)
	input.Write(from)
	root := commands(func(name string) string {
		return map[string]string{"WAYBILL_DATABASE_URL": "sqlite://" + fresh}[name]
	})
	root.SetIn(input)
	root.SetArgs([]string{"restore", "-"})
	root.SetOut(new(bytes.Buffer))
	require.NoError(t, root.ExecuteContext(t.Context()))
	_, again, _ := with(t, fresh, "export")
	require.Equal(t, trail, again)
}

func TestACopyOfWhichAPartIsInALogIsNotRestored(t *testing.T) {
	file, _ := trailed(t) // it is open, and has a log
	code, _, errs := with(t, filepath.Join(t.TempDir(), "waybill.db"), "restore", file)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "a part of it is in "+file+"-wal")
	code, _, errs = with(t, file+"2", "restore", file+".none")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no such file")
}

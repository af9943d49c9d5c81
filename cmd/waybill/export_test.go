package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// trailed is a database with an audit trail of three lines, which a server has open.
func trailed(t *testing.T) (file string, s *store.Store) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "waybill.db")
	s, err := store.Open(context.Background(), "sqlite://"+file, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for i := range 3 {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "test", Text: fmt.Sprint("an alert, ä \"", i)})
		}))
	}
	return file, s
}

// with runs a command line on a database.
func with(t *testing.T, database string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	getenv := func(name string) string {
		return map[string]string{"WAYBILL_DATABASE_URL": "sqlite://" + database}[name]
	}
	code = run(t.Context(), args, getenv, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// tamper changes the second line of the trail behind the program's back.
func tamper(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(`DROP TRIGGER events_are_not_changed; UPDATE events SET actor = 'mallory' WHERE seq = 2`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestExportPrintsTheAuditTrailWhileTheServerRunsT40(t *testing.T) {
	file, _ := trailed(t)
	code, out, errs := with(t, file, "export")
	require.Zero(t, code, errs)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	for _, l := range lines {
		require.True(t, json.Valid([]byte(l)), l)
	}
	_, rest, _ := with(t, file, "export", "--after", "2")
	require.Equal(t, lines[2]+"\n", rest)
}

func TestExportVerifiesTheChainAndNamesTheFirstBadLineT40(t *testing.T) {
	file, _ := trailed(t)
	code, out, _ := with(t, file, "export", "--verify")
	require.Zero(t, code)
	require.Contains(t, out, "3 lines are as they were written; the last is 3")
	tamper(t, file)
	code, _, errs := with(t, file, "export", "--verify")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 2 of the audit trail was changed")
	code, out, _ = with(t, file, "export", "--verify", "--json")
	require.Equal(t, 1, code)
	require.Contains(t, out, `"bad":2`)
}

// recipe returns the Python program of docs/audit.md, which says what it finds in an exported trail.
func recipe(t *testing.T) (follow func(trail string) (string, error)) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: there is no python3 here")
	}
	docs, err := os.ReadFile("../../docs/audit.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(docs)
	require.NotNil(t, program)
	return func(trail string) (string, error) {
		cmd := exec.CommandContext(t.Context(), python, "-c", string(program[1]))
		cmd.Stdin = strings.NewReader(trail)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

func TestTheRecipeOfTheDocsFindsWhatWasChangedT40(t *testing.T) {
	follow := recipe(t)
	file, _ := trailed(t)
	_, whole, _ := with(t, file, "export")
	said, err := follow(whole)
	require.NoError(t, err, said)
	require.Contains(t, said, "3 lines")
	lines := strings.SplitAfter(whole, "\n")
	_, err = follow(lines[0] + lines[2])
	require.Error(t, err, "a line is missing")
	_, err = follow(strings.Replace(whole, "an alert", "no alert", 1))
	require.Error(t, err, "a line was changed")
	tamper(t, file)
	_, changed, _ := with(t, file, "export")
	said, err = follow(changed)
	require.Error(t, err)
	require.Contains(t, said, "line 2")
}

// shortened is a trail whose first three lines were forgotten; archive is how they were exported before.
func shortened(t *testing.T) (file, archive string, s *store.Store) {
	t.Helper()
	file, s = trailed(t)
	_, archive, _ = with(t, file, "export")
	begun := time.Now()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "young"})
	}))
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
		p := store.Pruning{}
		for !p.Done && err == nil {
			p, err = tx.Upkeep.Prune(store.Horizon{Audit: begun}, p, 2)
		}
		require.Equal(t, int64(3), p.Gone)
		return err
	}))
	return file, archive, s
}

func TestATrailOfWhichTheBeginningWasForgottenIsStillVerifiedT40(t *testing.T) {
	file, _, s := shortened(t)
	code, out, errs := with(t, file, "export", "--verify")
	require.Zero(t, code, errs)
	require.Contains(t, out, "1 lines are as they were written; the last is 4")
	code, _, errs = with(t, file, "backup", filepath.Join(t.TempDir(), "copy.db"))
	require.Zero(t, code, errs)

	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(`DROP TRIGGER anchor_is_a_line; UPDATE anchor SET hash = 'another'`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	code, _, errs = with(t, file, "export", "--verify")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 4")
}

func TestAnArchiveGoesOnWhereAShortenedTrailBeginsT40(t *testing.T) {
	follow := recipe(t)
	file, archive, _ := shortened(t)
	_, rest, _ := with(t, file, "export")
	for _, trail := range []string{rest, archive + rest} {
		said, err := follow(trail)
		require.NoError(t, err, said)
	}
	first, _, _ := strings.Cut(archive, "\n")
	_, err := follow(first + "\n" + rest)
	require.Error(t, err, "two lines are in neither")
}

func TestBackupCopiesTheDatabaseWhileTheServerRuns(t *testing.T) {
	file, _ := trailed(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	code, out, errs := with(t, file, "backup", to)
	require.Zero(t, code, errs)
	require.Contains(t, out, "copied to "+to+"\n3 lines are as they were written")
	info, err := os.Stat(to)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	code, _, errs = with(t, file, "backup", to)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "exists")
	code, _, errs = with(t, file+".none", "backup", to+"2")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no such file")
	require.NoFileExists(t, to+"2")
}

func TestABackupOfATrailThatWasChangedIsKeptAndSaysSoT40(t *testing.T) {
	file, _ := trailed(t)
	tamper(t, file)
	to := filepath.Join(t.TempDir(), "copy.db")
	code, _, errs := with(t, file, "backup", to)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 2")
	require.FileExists(t, to)
}

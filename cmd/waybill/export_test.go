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

// trailed returns a database that a server has open. Its audit trail has three lines about a pipeline, and two about
// none.
func trailed(t *testing.T) (file string, s *store.Store) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "waybill.db")
	s, err := store.Open(context.Background(), "sqlite://"+file, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Pipelines.Save(store.PipelineRow{ID: 7, Repo: "acme/deploy"}, nil)
	}))
	for i := range 3 {
		logged(t, s, 7, fmt.Sprint("an alert, ä \"", i))
	}
	logged(t, s, store.ServerChain, "about none")
	return file, s
}

// logged writes an audit line about a pipeline.
func logged(t *testing.T, s *store.Store, pipeline int64, text string) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Audit.Log(store.Event{Pipeline: pipeline, Kind: store.EventAlert, Word: "test", Text: text})
	}))
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

// tamper changes the second line about the pipeline directly in the file.
func tamper(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(`DROP TRIGGER events_are_not_changed;
		UPDATE events SET actor = 'mallory' WHERE pipeline = 7 AND seq = 2`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestExportPrintsTheAuditTrailWhileTheServerRunsT40(t *testing.T) {
	file, _ := trailed(t)
	code, out, errs := with(t, file, "export")
	require.Zero(t, code, errs)
	lines := strings.SplitAfter(strings.TrimSpace(out)+"\n", "\n")
	require.Len(t, lines, 2+3+1)
	for _, l := range lines[:5] {
		require.True(t, json.Valid([]byte(l)), l)
	}
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"--pipeline", "server"}, lines[:2]},
		{[]string{"--pipeline", "server", "--after", "1"}, lines[1:2]},
		{[]string{"--pipeline", "acme/deploy"}, lines[2:]},
		{[]string{"--pipeline", "acme/deploy", "--after", "2"}, lines[4:]},
		{[]string{"--pipeline", "acme/deploy", "--after", "3"}, nil},
	} {
		code, out, errs := with(t, file, append([]string{"export"}, row.args...)...)
		require.Zero(t, code, errs)
		require.Equal(t, strings.Join(row.want, ""), out, row.args)
	}
}

func TestAnArchiveIsAppendedToT40(t *testing.T) {
	file, s := trailed(t)
	archive := filepath.Join(t.TempDir(), "audit.jsonl")
	more := func() string {
		t.Helper()
		code, out, errs := with(t, file, "export", "--after", archive)
		require.Zero(t, code, errs)
		f, err := os.OpenFile(archive, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(out)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return out
	}
	require.NoError(t, os.WriteFile(archive, nil, 0o600))
	_, whole, _ := with(t, file, "export")
	require.Equal(t, whole, more())
	require.Empty(t, more())
	logged(t, s, 8, "of another pipeline")
	logged(t, s, 7, "young")
	require.Equal(t, 1+1+1, strings.Count(more(), "\n"), "both, and that the new chain was opened")
	require.Empty(t, more())
	said, err := recipe(t)(archive)
	require.NoError(t, err, said)
	code, out, _ := with(t, file, "export", "--verify", "--after", archive)
	require.Zero(t, code, out)
	_, part, _ := with(t, file, "export", "--pipeline", "acme/deploy", "--after", archive)
	require.Empty(t, part)
}

func TestAnArchiveOfAnotherTrailIsNotAppendedToT40(t *testing.T) {
	one, _ := trailed(t)
	other, _ := trailed(t)
	archive := filepath.Join(t.TempDir(), "audit.jsonl")
	_, out, _ := with(t, one, "export")
	require.NoError(t, os.WriteFile(archive, []byte(out), 0o600))
	for _, args := range [][]string{{"export"}, {"export", "--verify"}} {
		code, out, errs := with(t, other, append(args, "--after", archive)...)
		require.Equal(t, 1, code, args)
		require.Empty(t, out)
		require.Contains(t, errs, "line 2 of the server's chain is another than was written: an archive has it with")
	}
}

func TestACursorThatMeansNoPlaceIsRefused(t *testing.T) {
	file, _ := trailed(t)
	none := filepath.Join(t.TempDir(), "none")
	cut := filepath.Join(t.TempDir(), "cut")
	_, out, _ := with(t, file, "export")
	require.NoError(t, os.WriteFile(cut, []byte(out[:len(out)-10]), 0o600))
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"--after", "2"}, "name one with --pipeline"},
		{[]string{"--verify", "--after", "2"}, "name one with --pipeline"},
		{[]string{"--after", none}, "no such file"},
		{[]string{"--after", cut}, "line 5 of " + cut + " is not a line of the audit trail"},
		{[]string{"--pipeline", "acme/other"}, "nothing has been written about a pipeline"},
		{[]string{"--verify", "--pipeline", "server"}, "--verify and --pipeline do not go together"},
	} {
		code, out, errs := with(t, file, append([]string{"export"}, row.args...)...)
		require.NotZero(t, code, row.args)
		require.Empty(t, out)
		require.Contains(t, errs, row.want)
	}
}

func TestExportVerifiesTheChainsAndNamesTheFirstBadLineT40(t *testing.T) {
	file, _ := trailed(t)
	code, out, _ := with(t, file, "export", "--verify")
	require.Zero(t, code)
	require.Contains(t, out, "5 lines in 2 chains are as they were written; the server's chain ends with line 2, with ")
	tamper(t, file)
	code, _, errs := with(t, file, "export", "--verify")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 2 of the chain of acme/deploy was changed")
	code, out, _ = with(t, file, "export", "--verify", "--json")
	require.Equal(t, 1, code)
	require.Contains(t, out, `"chain":7,"bad":2`)
}

// recipe returns the Python program of docs/audit.md, which checks an exported trail.
func recipe(t *testing.T) (follow func(trail string) (string, error)) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "CI has python3")
		t.Skip("there is no python3 here")
	}
	docs, err := os.ReadFile("../../docs/audit.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(docs)
	require.NotNil(t, program)
	return func(archive string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, "-c", string(program[1]), archive).CombinedOutput()
		return string(out), err
	}
}

// archived writes an export to a file.
func archived(t *testing.T, trail string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "audit.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(trail), 0o600))
	return file
}

func TestTheRecipeOfTheDocsFindsWhatWasChangedT40(t *testing.T) {
	follow := recipe(t)
	file, s := trailed(t)
	noted := func() {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Audit.NoteChains(10)
			return err
		}))
	}
	noted()
	_, whole, _ := with(t, file, "export")
	said, err := follow(archived(t, whole))
	require.NoError(t, err, said)
	require.Contains(t, said, "chain 7: 3 lines")
	lines := strings.SplitAfter(whole, "\n")
	const refuted = "line %d of chain 7 is not what line %d of the server's chain says"
	for _, row := range []struct{ name, trail, want string }{
		{"a line is missing", strings.Join(lines[:4], "") + lines[5], "does not follow"},
		{"a line was changed", strings.Replace(whole, "an alert", "no alert", 1), "line 1 of chain 7 was changed"},
		{"a chain was cut", strings.Join(lines[:5], ""), fmt.Sprintf(refuted, 3, 3)},
		{"a chain is missing", strings.Join(lines[:3], ""), fmt.Sprintf(refuted, 1, 1)},
	} {
		said, err := follow(archived(t, row.trail))
		require.Error(t, err, row.name)
		require.Contains(t, said, row.want, row.name)
	}
	tamper(t, file)
	_, changed, _ := with(t, file, "export")
	said, err = follow(archived(t, changed))
	require.Error(t, err)
	require.Contains(t, said, "line 2 of chain 7 was changed")
}

// shortened returns a trail from which retention has removed all that trailed wrote about the pipeline, and another
// chain that is whole. The archive is the export from before the removal.
func shortened(t *testing.T) (file, archive string, s *store.Store) {
	t.Helper()
	file, s = trailed(t)
	logged(t, s, 8, "of a pipeline of which nothing is left")
	_, archive, _ = with(t, file, "export")
	begun := time.Now()
	logged(t, s, 7, "young")
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
		p := store.Pruning{}
		for !p.Done && err == nil {
			p, err = tx.Upkeep.Prune(store.Horizon{Audit: begun}, p, 2)
		}
		require.Equal(t, int64(3+1), p.Gone, "the server's chain keeps what it has said last of another")
		return err
	}))
	return file, archive, s
}

func TestATrailOfWhichTheBeginningWasForgottenIsStillVerifiedT40(t *testing.T) {
	file, _, s := shortened(t)
	code, out, errs := with(t, file, "export", "--verify")
	require.Zero(t, code, errs)
	require.Contains(t, out, "7 lines in 3 chains are as they were written; the server's chain ends with line 6")
	code, _, errs = with(t, file, "backup", filepath.Join(t.TempDir(), "copy.db"))
	require.Zero(t, code, errs)

	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(`DROP TRIGGER chains_begin_behind_a_line;
		UPDATE chains SET removed_hash = 'another' WHERE pipeline = 7`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	code, _, errs = with(t, file, "export", "--verify")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "line 4 of the chain of acme/deploy")
}

func TestAnArchiveGoesOnWhereAShortenedTrailBeginsT40(t *testing.T) {
	follow := recipe(t)
	file, archive, _ := shortened(t)
	old := archived(t, archive)
	_, left, _ := with(t, file, "export")
	code, rest, errs := with(t, file, "export", "--after", old)
	require.Zero(t, code)
	require.Empty(t, errs)
	for _, trail := range []string{left, archive + rest} {
		said, err := follow(archived(t, trail))
		require.NoError(t, err, said)
	}
	begin := strings.Join(strings.SplitAfter(archive, "\n")[:3+1], "")
	first := archived(t, begin)
	code, rest, errs = with(t, file, "export", "--after", first)
	require.Zero(t, code)
	require.Contains(t, errs, "lines 2 to 3 of the chain of acme/deploy are not there: retention has removed them")
	_, err := follow(archived(t, begin+rest))
	require.Error(t, err, "two lines are in neither")
}

func TestBackupCopiesTheDatabaseWhileTheServerRuns(t *testing.T) {
	file, _ := trailed(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	code, out, errs := with(t, file, "backup", to)
	require.Zero(t, code, errs)
	require.Contains(t, out, "copied to "+to+"\n5 lines in 2 chains are as they were written")
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

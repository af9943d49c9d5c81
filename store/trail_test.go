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

	"waybill/store"
	"waybill/store/driver"
)

// trailOf makes a database with this many lines about each of two pipelines, 7 and 8, and closes it. The server's chain
// has lines that open both chains, and lines with their lengths.
func trailOf(t *testing.T, lines int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "waybill.db")
	written(t, path, lines, "", 7, 8)
	return path
}

// written appends lines to the chains of pipelines and has the server's chain record their ends.
func written(t *testing.T, path string, lines int, text string, pipelines ...int64) {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite://"+path, store.Collecting(store.Options{}))
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		for i := range lines {
			for _, p := range pipelines {
				if err := tx.Audit.Log(said(p, fmt.Sprint(text, i+1))); err != nil {
					return err
				}
			}
		}
		_, err := tx.Audit.NoteChains(10)
		return err
	}))
	require.NoError(t, s.Close())
}

// checkTrail checks the audit trail of a database that no process has open.
func checkTrail(t *testing.T, path string, known ...store.End) error {
	t.Helper()
	return store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail(known...)
		return err
	})
}

const unguard = `DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_removed;
	DROP TRIGGER events_are_not_slipped_in;
	DROP TRIGGER chains_only_grow; DROP TRIGGER chains_end_in_a_line; DROP TRIGGER chains_begin_behind_a_line;
	DROP TRIGGER chains_are_begun_once; DROP TRIGGER chains_stay; `

// line selects the columns of a line of pipeline 7, except its position and word.
const line = `at, stage, promotion, kind, 'new', sha, reason, actor_id, actor, source, text, outcome, plan,
	typed, rule, hash FROM events WHERE pipeline = 7`

const insertChain = `INSERT INTO chains (pipeline, seq, hash, removed_seq, removed_hash, noted_seq) VALUES `

func TestWhateverIsDoneToTheAuditTrailShowsT40(t *testing.T) {
	const end = `(SELECT hash FROM events e WHERE e.pipeline = chains.pipeline AND e.seq = chains.seq)`
	for _, tc := range []struct {
		name, statement string
		pipeline, line  int64
	}{
		{"nothing", `SELECT 1`, 0, 0},
		{"a text is changed", `UPDATE events SET text = 'other' WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a time is changed", `UPDATE events SET at = at + 1 WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a person is changed", `UPDATE events SET actor_id = 7 WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a rule is made up", `UPDATE events SET rule = 'x' WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a reason is made up", `UPDATE events SET reason = 'x' WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a line and its hash are changed",
			`UPDATE events SET text = 'other', hash = 'abc' WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"a line is removed", `DELETE FROM events WHERE pipeline = 7 AND seq = 5`, 7, 5},
		{"the first line is removed", `DELETE FROM events WHERE pipeline = 7 AND seq = 1`, 7, 1},
		{"the last line is removed", `DELETE FROM events WHERE pipeline = 7 AND seq = 9`, 7, 9},
		{"all lines are removed", `DELETE FROM events`, 0, 1},
		{"a line is removed and the rest renumbered",
			`DELETE FROM events WHERE pipeline = 7 AND seq = 5;
			UPDATE events SET seq = seq - 1 WHERE pipeline = 7 AND seq > 5`, 7, 5},
		{"lines are swapped", `UPDATE events SET seq = 99 WHERE pipeline = 7 AND seq = 5;
			UPDATE events SET seq = 5 WHERE pipeline = 7 AND seq = 6; UPDATE events SET seq = 6 WHERE seq = 99`, 7, 5},
		{"a line is slipped in", `UPDATE events SET seq = seq + 100 WHERE pipeline = 7 AND seq > 5;
			UPDATE events SET seq = seq - 99 WHERE pipeline = 7 AND seq > 100;
			INSERT INTO events SELECT pipeline, 6, ` + line + ` AND seq = 5`, 7, 6},
		{"a line is appended that the chain does not count",
			`INSERT INTO events SELECT pipeline, 10, ` + line + ` AND seq = 9`, 7, 10},
		{"a line is moved to another chain", `DELETE FROM events WHERE pipeline = 8 AND seq = 9;
			UPDATE events SET pipeline = 8 WHERE pipeline = 7 AND seq = 9;
			UPDATE chains SET seq = 8 WHERE pipeline = 7; UPDATE chains SET hash = ` + end, 8, 9},
		{"a chain is cut at its end", `DELETE FROM events WHERE pipeline = 7 AND seq > 5;
			UPDATE chains SET seq = 5 WHERE pipeline = 7; UPDATE chains SET hash = ` + end, 7, 9},
		{"a whole chain is removed", `DELETE FROM events WHERE pipeline = 7;
			DELETE FROM chains WHERE pipeline = 7`, 7, 1},
		{"a chain is emptied", `DELETE FROM events WHERE pipeline = 7;
			UPDATE chains SET seq = 0, hash = '' WHERE pipeline = 7`, 7, 1},
		{"a chain is forgotten, but for its lines", `DELETE FROM chains WHERE pipeline = 7`, 7, 1},
		{"two chains are swapped", `UPDATE events SET pipeline = 9 WHERE pipeline = 7;
			UPDATE events SET pipeline = 7 WHERE pipeline = 8;
			UPDATE events SET pipeline = 8 WHERE pipeline = 9; UPDATE chains SET hash = ` + end, 7, 1},
		{"a chain is made up", insertChain + `(9, 0, '', 0, '', 0)`, 9, 1},
		{"a line is made up without a chain", `INSERT INTO events SELECT 9, 1, ` + line + ` AND seq = 1`, 9, 1},
		{"the server's chain is removed", `DELETE FROM events WHERE pipeline = 0;
			DELETE FROM chains WHERE pipeline = 0`, 0, 1},
		{"everything is removed", `DELETE FROM events; DELETE FROM chains`, 0, 1},
		{"a mark is moved over what was removed", `DELETE FROM events WHERE pipeline = 7 AND seq < 4;
			UPDATE chains SET removed_seq = 3, removed_hash = 'abc' WHERE pipeline = 7`, 7, 4},
		{"a mark is moved as retention moves it", `UPDATE chains SET removed_seq = 3,
				removed_hash = (SELECT hash FROM events WHERE pipeline = 7 AND seq = 3) WHERE pipeline = 7;
			DELETE FROM events WHERE pipeline = 7 AND seq < 4`, 7, 3},
		{"all of a chain is removed as by retention",
			`UPDATE chains SET removed_seq = seq, removed_hash = hash WHERE pipeline = 7;
			DELETE FROM events WHERE pipeline = 7`, 7, 9},
		{"the mark of the server's chain is moved as retention moves it", `UPDATE chains SET removed_seq = 1,
				removed_hash = (SELECT hash FROM events WHERE pipeline = 0 AND seq = 1) WHERE pipeline = 0;
			DELETE FROM events WHERE pipeline = 0 AND seq = 1`, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := trailOf(t, 9)
			change(t, path, unguard+tc.statement)
			requireBad(t, checkTrail(t, path), tc.pipeline, tc.line)
		})
	}
}

// requireBad requires an error that names this line as changed; with line 0, no error.
func requireBad(t *testing.T, err error, pipeline, line int64) {
	t.Helper()
	if line == 0 {
		require.NoError(t, err)
		return
	}
	var bad *store.BadLine
	require.True(t, errors.As(err, &bad), err)
	require.Equal(t, line, bad.Seq, err)
	require.Equal(t, pipeline, bad.Chain.Pipeline, err)
}

// TestAChainThatIsWrittenAnewShowsT40: all hashes of the new chain are right, but the server's chain has others.
func TestAChainThatIsWrittenAnewShowsT40(t *testing.T) {
	path := trailOf(t, 9)
	change(t, path, unguard+`DELETE FROM events WHERE pipeline = 7; DELETE FROM chains WHERE pipeline = 7`)
	written(t, path, 12, "other ", 7)
	requireBad(t, checkTrail(t, path), 7, 1)
}

// TestAChainThatIsSwappedForThatOfAnotherDatabaseShowsT40: Waybill has written the other chain, with its hashes.
func TestAChainThatIsSwappedForThatOfAnotherDatabaseShowsT40(t *testing.T) {
	path, other := trailOf(t, 9), filepath.Join(t.TempDir(), "other.db")
	written(t, other, 9, "other ", 7)
	change(t, path, unguard+`DELETE FROM events WHERE pipeline = 7; ATTACH '`+other+`' AS other;
		INSERT INTO events SELECT * FROM other.events WHERE pipeline = 7;
		UPDATE chains SET hash = (SELECT hash FROM other.chains WHERE pipeline = 7) WHERE pipeline = 7`)
	requireBad(t, checkTrail(t, path), 7, 1)
}

// TestADatabaseThatIsReplacedShowsInAnArchiveT40: all hashes in it are right, but they differ from the exported ones.
func TestADatabaseThatIsReplacedShowsInAnArchiveT40(t *testing.T) {
	path, other := trailOf(t, 9), filepath.Join(t.TempDir(), "other.db")
	written(t, other, 9, "other ", 7)
	known := endsOf(t, path)
	require.NoError(t, checkTrail(t, path, known...))
	require.NoError(t, checkTrail(t, other))
	requireBad(t, checkTrail(t, other, known[1]), 7, 9)
	requireBad(t, checkTrail(t, other, known[2]), 8, 9)
	require.NoError(t, os.Remove(other))
	written(t, other, 8, "", 7)
	requireBad(t, checkTrail(t, other, known[1]), 7, 9)
}

// endsOf returns the last lines of all chains.
func endsOf(t *testing.T, path string) (all []store.End) {
	t.Helper()
	require.NoError(t, store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error {
		chains, err := tx.Audit.Chains()
		for _, c := range chains {
			all = append(all, store.End{Pipeline: c.Pipeline, Seq: c.Seq, Hash: c.Hash})
		}
		return err
	}))
	return all
}

// TestATrailThatRetentionHasShortenedIsCheckedT40: lines that retention deletes are no loss; all other deletions are.
func TestATrailThatRetentionHasShortenedIsCheckedT40(t *testing.T) {
	shortened := func(t *testing.T) (path string, known []store.End) {
		path = filepath.Join(t.TempDir(), "waybill.db")
		clock := &clock{now: start}
		s := openFile(t, path, store.Options{Clock: clock.Now})
		for range 6 {
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				return tx.Audit.Log(said(7, "a"), said(8, "b"))
			}))
			clock.advance(time.Hour)
		}
		require.NoError(t, s.Close())
		known = endsOf(t, path)
		s = openFile(t, path, store.Options{Clock: clock.Now})
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
			for p := (store.Pruning{}); !p.Done && err == nil; {
				p, err = tx.Upkeep.Prune(store.Horizon{Audit: start.Add(210 * time.Minute)}, p, 3)
			}
			return err
		}))
		require.NoError(t, s.Close())
		return path, known
	}
	for _, tc := range []struct {
		name, statement string
		pipeline, line  int64
	}{
		{"nothing more", `SELECT 1`, 0, 0},
		{"the mark is moved on", `UPDATE chains SET removed_seq = 5,
				removed_hash = (SELECT hash FROM events WHERE pipeline = 7 AND seq = 5) WHERE pipeline = 7;
			DELETE FROM events WHERE pipeline = 7 AND seq < 6`, 7, 5},
		{"the mark is moved back", `UPDATE chains SET removed_seq = 3 WHERE pipeline = 7`, 7, 4},
		{"the mark has another hash", `UPDATE chains SET removed_hash = 'abc' WHERE pipeline = 7`, 7, 5},
		{"the mark is forgotten", `UPDATE chains SET removed_seq = 0, removed_hash = '' WHERE pipeline = 7`, 7, 1},
		{"the whole chain is removed", `DELETE FROM events WHERE pipeline = 7;
			DELETE FROM chains WHERE pipeline = 7`, 7, 1},
		{"the line that tells of the mark is cut off", `DELETE FROM events WHERE pipeline = 0 AND seq = 6;
			UPDATE chains SET seq = 5,
				hash = (SELECT hash FROM events WHERE pipeline = 0 AND seq = 5) WHERE pipeline = 0`, 8, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path, known := shortened(t)
			change(t, path, unguard+tc.statement)
			requireBad(t, checkTrail(t, path, known...), tc.pipeline, tc.line)
		})
	}
}

func TestTheEndsOfTheAuditTrailAreCheckedCheaply(t *testing.T) {
	check := func(path string, limit int64) error {
		return store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error { return tx.Audit.CheckEnds(limit) })
	}
	path := trailOf(t, 9)
	require.NoError(t, check(path, 12))
	require.NoError(t, check(path, 1000))
	change(t, path, unguard+`UPDATE events SET text = 'other' WHERE pipeline = 7 AND seq = 5`)
	require.NoError(t, check(path, 12), "three lines of each chain, or less")
	requireBad(t, check(path, 1000), 7, 5)
	change(t, path, `DELETE FROM events WHERE pipeline = 8 AND seq = 9`)
	requireBad(t, check(path, 0), 8, 9)
}

func TestTheAuditTrailIsOnlyAppendedToT40(t *testing.T) {
	path := trailOf(t, 9)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for _, statement := range []string{
		`UPDATE events SET text = 'other' WHERE pipeline = 7 AND seq = 5`,
		`DELETE FROM events WHERE pipeline = 7 AND seq = 5`,
		`DELETE FROM events`,
		`INSERT OR REPLACE INTO events SELECT pipeline, seq, ` + line + ` AND seq = 5`,
		`INSERT INTO events SELECT pipeline, 11, ` + line + ` AND seq = 5`,
		`INSERT INTO events SELECT pipeline, -1, ` + line + ` AND seq = 5`,
		`INSERT INTO events SELECT 9, 1, ` + line + ` AND seq = 5`,
		`UPDATE chains SET removed_seq = 5`,
		`UPDATE chains SET removed_seq = 5, removed_hash = 'abc' WHERE pipeline = 7`,
		`UPDATE chains SET hash = 'abc'`,
		`UPDATE chains SET hash = (SELECT hash FROM events WHERE pipeline = 7 AND seq = 5) WHERE pipeline = 7`,
		`UPDATE chains SET seq = 5 WHERE pipeline = 7`,
		`UPDATE chains SET seq = seq - 1`,
		`UPDATE chains SET pipeline = 9 WHERE pipeline = 7`,
		strings.Replace(insertChain, "INSERT", "INSERT OR REPLACE", 1) + `(7, 0, '', 0, '', 0)`,
		insertChain + `(9, 5, 'abc', 5, 'abc', 5)`,
		`DELETE FROM chains WHERE pipeline = 7`,
		`DELETE FROM chains`,
	} {
		_, err := db.Exec(statement)
		require.ErrorContains(t, err, "audit trail", statement)
	}
	require.NoError(t, db.Close())
	require.NoError(t, checkTrail(t, path))
}

func TestADatabaseIsReadWhileAServerHasIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s := openFile(t, path, store.Options{})
	require.NoError(t, s.Update(t.Context(),
		func(tx *store.Tx) error { return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "a"}) }))
	require.NoError(t, store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error {
		n, err := tx.Audit.CheckTrail()
		require.NoError(t, err)
		require.NoError(t, s.Update(t.Context(),
			func(tx *store.Tx) error { return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "b"}) }))
		again, err := tx.Audit.CheckTrail()
		require.Equal(t, n, again, "it sees one state")
		require.Error(t, tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "never"}), "it only reads")
		return err
	}))
}

func TestADatabaseThatCannotBeReadIsNamedWithARemedy(t *testing.T) {
	read := func(path string) error {
		return store.Read(t.Context(), "sqlite://"+path, func(*store.Tx) error { return nil })
	}
	none := filepath.Join(t.TempDir(), "none.db")
	require.ErrorContains(t, read(none), "WAYBILL_DATABASE_URL")
	require.NoFileExists(t, none)
	other := closed(t)
	change(t, other, `UPDATE schema_version SET digest = 'other'`)
	require.ErrorIs(t, read(other), driver.ErrOlder)
	change(t, other, `UPDATE schema_version SET version = 999, oldest = 999`)
	require.ErrorIs(t, read(other), driver.ErrNewer)
}

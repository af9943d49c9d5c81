package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// trailOf makes a database with an audit trail of so many lines, and closes it.
func trailOf(t *testing.T, lines int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "waybill.db")
	s, err := store.Open(t.Context(), "sqlite://"+path, store.Collecting(store.Options{}))
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		for i := range lines {
			if err := tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "test", Text: fmt.Sprint(i + 1)}); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Close())
	return path
}

// checkTrail follows the trail of a database that nobody has open.
func checkTrail(t *testing.T, path string) error {
	t.Helper()
	return store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail(0)
		return err
	})
}

const unguard = `DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_removed; DROP TRIGGER events_are_not_slipped_in;
	DROP TRIGGER anchor_is_a_line; `

func TestWhateverIsDoneToTheAuditTrailShowsT40(t *testing.T) {
	for _, tc := range []struct {
		name, statement string
		line            int64
	}{
		{"nothing", `SELECT 1`, 0},
		{"a text is changed", `UPDATE events SET text = 'other' WHERE seq = 5`, 5},
		{"a time is changed", `UPDATE events SET at = at + 1 WHERE seq = 5`, 5},
		{"a person is changed", `UPDATE events SET actor_id = 7 WHERE seq = 5`, 5},
		{"a rule is made up", `UPDATE events SET rule = 'x' WHERE seq = 5`, 5},
		{"a reason is made up", `UPDATE events SET reason = 'x' WHERE seq = 5`, 5},
		{"a line and its hash are changed", `UPDATE events SET text = 'other', hash = 'abc' WHERE seq = 5`, 5},
		{"a line is removed", `DELETE FROM events WHERE seq = 5`, 5},
		{"the first line is removed", `DELETE FROM events WHERE seq = 1`, 1},
		{"the last line is removed", `DELETE FROM events WHERE seq = 9`, 9},
		{"all lines are removed", `DELETE FROM events`, 1},
		{"a line is removed and the rest renumbered", `DELETE FROM events WHERE seq = 5; UPDATE events SET seq = seq - 1 WHERE seq > 5`, 5},
		{"lines are swapped", `UPDATE events SET seq = 99 WHERE seq = 5; UPDATE events SET seq = 5 WHERE seq = 6; UPDATE events SET seq = 6 WHERE seq = 99`, 5},
		{"a line is slipped in", `UPDATE events SET seq = seq + 1 WHERE seq > 5 AND seq + 1 NOT IN (SELECT seq FROM events);
			INSERT INTO events SELECT 10, at, pipeline, stage, promotion, kind, word, sha, reason, actor_id, actor, source, 'new', outcome, plan, typed, hash, rule FROM events WHERE seq = 9`, 9},
		{"the anchor is moved over what was removed", `DELETE FROM events WHERE seq < 4; UPDATE anchor SET seq = 3, hash = 'abc'`, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := trailOf(t, 9)
			change(t, path, unguard+tc.statement)
			err := checkTrail(t, path)
			if tc.line == 0 {
				require.NoError(t, err)
				return
			}
			var bad *store.BadLine
			require.True(t, errors.As(err, &bad), err)
			require.Equal(t, tc.line, bad.Seq, err)
		})
	}
}

func TestTheAuditTrailIsOnlyAppendedToT40(t *testing.T) {
	path := trailOf(t, 9)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for _, statement := range []string{
		`UPDATE events SET text = 'other' WHERE seq = 5`,
		`DELETE FROM events WHERE seq = 5`,
		`INSERT OR REPLACE INTO events SELECT seq, at, pipeline, stage, promotion, kind, 'new', sha, reason, actor_id, actor, source,
			text, outcome, plan, typed, hash, rule FROM events WHERE seq = 5`,
		`UPDATE anchor SET seq = 5`,
		`UPDATE anchor SET seq = 5, hash = 'abc'`,
		`DELETE FROM anchor`,
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
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "a"}) }))
	require.NoError(t, store.Read(t.Context(), "sqlite://"+path, func(tx *store.Tx) error {
		n, err := tx.Audit.CheckTrail(0)
		require.NoError(t, err)
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "b"}) }))
		again, err := tx.Audit.CheckTrail(0)
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
	require.ErrorIs(t, read(other), store.ErrOlder)
	change(t, other, `UPDATE schema_version SET version = 999`)
	require.ErrorIs(t, read(other), store.ErrNewer)
}

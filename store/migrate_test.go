package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestFreightOfAnOlderSchemaKeepsItsPullRequestAndWhatRefersToIt makes the table of freight anew below a promotion.
func TestFreightOfAnOlderSchemaKeepsItsPullRequestAndWhatRefersToIt(t *testing.T) {
	const before = 22
	path := filepath.Join(t.TempDir(), "waybill.db")
	require.NoError(t, create(path))
	db, err := openSQLite(path, writerPragmas)
	require.NoError(t, err)
	old, err := newConn(t.Context(), db)
	require.NoError(t, err)
	all, err := steps(migrations)
	require.NoError(t, err)
	require.NoError(t, keepLog(old))
	require.NoError(t, alone(old, func() error { return run(old, all[:before], time.Unix(0, 0)) }))
	require.NoError(t, guard(old))
	for _, query := range []string{
		`INSERT INTO pipelines (id, repo, installation, branch, config_sha, config, policy, config_error, created_at, resync_every, resync_due, resync_failures, resync_error)
			VALUES (7, 'acme/deploy', 3, 'main', 'c0', x'', x'', '', 0, 36000, 0, 0, '')`,
		`INSERT INTO stages (pipeline, name, position, dirty, decided, not_before, fence) VALUES (7, 'dev', 0, 1, 1, 0, 0)`,
		`INSERT INTO freight (pipeline, id, warehouse, name, merged_at, number, repo, sha, author_id, author, title, recorded_at)
			VALUES (7, 'f1', 'api', 'api#142', 1000000, 142, 'acme/api', 'c1', 5, 'ann', 'A change', 2000000)`,
		`INSERT INTO approvals (id, pipeline, stage, freight, kind, actor_id, actor, plan, text, given_at, entitled)
			VALUES (1, 7, 'dev', 'f1', 'admit', 5, 'ann', '', '', 0, TRUE)`,
	} {
		require.NoError(t, old.once(query))
	}
	require.NoError(t, old.close())
	require.NoError(t, db.Close())

	s, err := Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.View(t.Context(), func(tx *Tx) error {
		f, err := tx.Facts.Freight(7, "f1")
		require.Equal(t, promotion.Freight{
			ID: "f1", Warehouse: "api", Name: "api#142", Merged: time.Unix(1, 0).UTC(), Number: 142, Pull: 142, Repo: "acme/api", SHA: "c1",
			Author: promotion.Actor{ID: 5, Login: "ann"}, Title: "A change",
		}, f)
		return err
	}))
	require.NoError(t, s.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM freight WHERE id = $1`, "f1")
		require.ErrorContains(t, err, "FOREIGN KEY", "an approval refers to it, as before")
		return nil
	}))
}

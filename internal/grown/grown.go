// Package grown fills databases with the rows of years of work, for benchmarks. It uses a few statements, because the
// functions of the store would need minutes; tests of the store compare the rows of both.
package grown

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Home and Branch are the repository and the branch that have the files of all stages of a grown database.
const (
	Home   = "acme/deploy"
	Branch = "main"
)

// bulk is a database that is being filled. Its indexes and triggers are dropped, and created again at the end.
type bulk struct {
	testing.TB
	db     *sql.DB
	put    *strings.Replacer // replaces the names in statements by their values
	remake []string
}

// openBulk opens a database that no process has open. The values are pairs of a name in statements, such as $N, and its
// value.
func openBulk(tb testing.TB, path string, values ...string) *bulk {
	tb.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"+
		"&_pragma=cache_size(-200000)&_pragma=temp_store(MEMORY)")
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	k := &bulk{TB: tb, db: db, put: strings.NewReplacer(append(values, "$H", text(Home), "$B", text(Branch))...)}
	rows, err := db.Query(`SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')
		AND sql IS NOT NULL ORDER BY type`)
	require.NoError(tb, err)
	var drops []string
	for rows.Next() {
		var kind, name, made string
		require.NoError(tb, rows.Scan(&kind, &name, &made))
		drops, k.remake = append(drops, `DROP `+kind+` `+name), append(k.remake, made)
	}
	require.NoError(tb, rows.Close())
	for _, drop := range drops {
		k.run(drop)
	}
	return k
}

// text quotes a string for a statement.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// run runs a statement and returns how many rows it has written.
func (k *bulk) run(statement string) int64 {
	k.Helper()
	statement = k.put.Replace(statement)
	result, err := k.db.Exec(statement)
	require.NoError(k, err, statement)
	n, err := result.RowsAffected()
	require.NoError(k, err)
	return n
}

// number returns the result of a query.
func (k *bulk) number(query string) (n int64) {
	k.Helper()
	query = k.put.Replace(query)
	require.NoError(k, k.db.QueryRow(query).Scan(&n), query)
	return n
}

// close creates indexes and triggers again.
func (k *bulk) close() {
	k.Helper()
	for _, made := range k.remake {
		k.run(made)
	}
	require.NoError(k, k.db.Close())
}

// upTo begins a statement with a table n, whose column i has the numbers from 0 to below an expression.
func upTo(count string) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %s) `, count)
}

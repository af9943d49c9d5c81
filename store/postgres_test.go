package store

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
)

func TestPostgreSQLPreparesEveryStatement(t *testing.T) {
	t.Parallel() // wait for the tests of the package that run the statements
	statements := slices.Sorted(maps.Keys(everything.all))
	if runsAllTests() {
		for _, f := range fragments(t) {
			assert.True(t, slices.ContainsFunc(statements, f.pattern.MatchString), "no test runs this statement: %s", f)
		}
	}
	conn := connect(t)
	_, err := conn.PgConn().Exec(t.Context(), schemaText).ReadAll()
	require.NoError(t, err, "schema.sql")
	for _, query := range statements {
		prepare(t, conn, query, everything.all[query])
	}
}

// runsAllTests reports whether no flag excludes tests of the package.
func runsAllTests() bool {
	return flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
}

// connect returns a connection to an empty database.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// scanned are the types of the tables' columns and of literals. Other types, such as the numeric of a SUM, scan into
// other Go types than on SQLite.
var scanned = []uint32{pgtype.BoolOID, pgtype.ByteaOID, pgtype.Int8OID, pgtype.TextOID, pgtype.Int4OID}

// prepare prepares a statement as a driver would, and checks that its arguments and columns fit the Go types.
func prepare(t *testing.T, conn *pgx.Conn, query string, given map[string][]any) {
	t.Helper()
	text := strings.ReplaceAll(query, locks, " FOR UPDATE")
	s, err := conn.Prepare(t.Context(), "", text)
	if !assert.NoError(t, err, query) {
		return
	}
	for _, args := range given {
		if !assert.Len(t, s.ParamOIDs, len(args), query) {
			return
		}
		for i, oid := range s.ParamOIDs {
			_, err := conn.TypeMap().Encode(oid, conn.TypeMap().FormatCodeForOID(oid), args[i], nil)
			assert.NoError(t, err, "$%d of %s", i+1, query)
		}
	}
	for _, column := range s.Fields {
		assert.Contains(t, scanned, column.DataTypeOID, "the type of column %s of %s", column.Name, query)
	}
}

package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestAServerAnswersUntilItsTestEnds(t *testing.T) {
	var url string
	t.Run("while it runs", func(t *testing.T) {
		url = Start(t)
		c, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		var version int
		row := c.QueryRow(t.Context(), `SELECT current_setting('server_version_num')::int / 10000`)
		require.NoError(t, row.Scan(&version))
		require.GreaterOrEqual(t, version, oldest)
		require.NoError(t, c.Close(t.Context()))
	})
	if url == "" {
		t.Skip("PostgreSQL is not installed")
	}
	c, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	require.NoDirExists(t, c.Host)
	_, err = pgx.Connect(t.Context(), url)
	require.Error(t, err)
}

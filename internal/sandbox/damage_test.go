package sandbox

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADamagedDatabaseIsToldByReadyz damages a table of the real process's database that no start reads. The file is so
// large that it is not checked from end to end at the start.
func TestADamagedDatabaseIsToldByReadyz(t *testing.T) {
	t.Parallel()
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)))
	require.NoError(t, damage(h.victim.database, "freight"))
	h.victim.start()
	h.until(h.victim.ready, "it is ready: the damage has not been read yet")
	h.mergeOne()
	h.until(func() bool { return !h.victim.ready() }, "the damage is met")
	require.Contains(t, h.victim.trouble(), `"database":"`)
	require.Contains(t, h.victim.trouble(), "the file is damaged: nothing was changed; restore a backup")
	require.False(t, h.victim.gone(), h.victim.log.String())
}

// damage makes a database large, and overwrites the first page of one of its tables.
func damage(path, table string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer db.Close()
	var page, size int64
	for _, ask := range []struct {
		into  *int64
		query string
	}{
		{&size, `PRAGMA page_size`},
		{&page, `SELECT rootpage FROM sqlite_schema WHERE name = '` + table + `'`},
	} {
		if err := db.QueryRow(ask.query).Scan(ask.into); err != nil {
			return err
		}
	}
	if _, err := db.Exec(`CREATE TABLE ballast (x BLOB); INSERT INTO ballast VALUES (zeroblob(20000000))`); err != nil {
		return err
	}
	if err := db.Close(); err != nil { // which moves the write-ahead log into the file
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(make([]byte, size), (page-1)*size)
	return err
}

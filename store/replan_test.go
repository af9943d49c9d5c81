package store

import (
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// TestNoStatementIsPlannedAnewWheneverItRuns binds values to each statement that the tests of the package run. SQLite
// would plan some anew, which takes several times as long as to run them: those with LIMIT $1, and those that compare a
// column with a parameter as a partial index of the table compares it with a constant. It does not if one of the two is
// more than a parameter or a column: LIMIT $1 + 0, leased_until + 0 > $1.
func TestNoStatementIsPlannedAnewWheneverItRuns(t *testing.T) {
	t.Parallel() // wait for the tests of the package that run the statements
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	everything.mu.Lock()
	defer everything.mu.Unlock()
	require.NotEmpty(t, everything.all)
	raw := openRaw(t, path)
	for query := range everything.all {
		if planned.MatchString(query) {
			assert.Zero(t, raw.replanned(query), query)
		}
	}
}

// rawFile is a file of SQLite, opened by its C interface: database/sql does not tell how often a statement was planned.
type rawFile struct {
	t   *testing.T
	tls *libc.TLS
	db  *uintptr
}

func openRaw(t *testing.T, path string) *rawFile {
	t.Helper()
	f := &rawFile{t: t, tls: libc.NewTLS(), db: new(uintptr)}
	require.Zero(t, sqlite.Xsqlite3_open_v2(f.tls, f.text(path), f.address(f.db), sqlite.SQLITE_OPEN_READWRITE, 0))
	t.Cleanup(func() {
		assert.Zero(t, sqlite.Xsqlite3_close_v2(f.tls, *f.db))
		f.tls.Close()
	})
	return f
}

// text returns the address of a string of C.
func (f *rawFile) text(s string) uintptr {
	at, err := libc.CString(s)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { libc.Xfree(f.tls, at) })
	return at
}

// address returns where SQLite is to write an address.
func (f *rawFile) address(to *uintptr) uintptr {
	var pinned runtime.Pinner
	pinned.Pin(to)
	f.t.Cleanup(pinned.Unpin)
	return uintptr(unsafe.Pointer(to))
}

// replanned returns how often a statement is planned anew when values are bound to it.
func (f *rawFile) replanned(query string) int {
	statement := new(uintptr)
	require.Zero(f.t, sqlite.Xsqlite3_prepare_v2(f.tls, *f.db, f.text(query), -1, f.address(statement), 0), query)
	defer sqlite.Xsqlite3_finalize(f.tls, *statement)
	for i := range sqlite.Xsqlite3_bind_parameter_count(f.tls, *statement) {
		require.Zero(f.t, sqlite.Xsqlite3_bind_int64(f.tls, *statement, i+1, 7))
	}
	sqlite.Xsqlite3_step(f.tls, *statement) // it may fail: 7 is no value for some
	return int(sqlite.Xsqlite3_stmt_status(f.tls, *statement, sqlite.SQLITE_STMTSTATUS_REPREPARE, 0))
}

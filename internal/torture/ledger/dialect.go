package ledger

import (
	"database/sql"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	_ "github.com/jackc/pgx/v5/stdlib" // the databases are looked at from outside
	_ "modernc.org/sqlite"
)

// Dialect is how a kind of database is read. Queries are written for SQLite, in words that PostgreSQL has, too, or that
// it can be taught. The zero value is that of SQLite.
type Dialect struct {
	schema  string // of PostgreSQL, which has the tables; empty: it is SQLite
	version string // selects a number that is another one once somebody has written
}

// dialectOf returns the dialect of the database that a URL names.
func dialectOf(database string) (Dialect, error) {
	if strings.HasPrefix(database, "sqlite:") {
		return Dialect{version: `PRAGMA data_version`}, nil
	}
	u, err := url.Parse(database)
	if err != nil {
		return Dialect{}, err
	}
	return Dialect{schema: u.Query().Get("search_path"),
		version: `SELECT hashtextextended(pg_current_snapshot()::text, 0)`}, nil
}

// open opens a database. That of SQLite is read only.
func (d Dialect) open(database string) (*sql.DB, error) {
	if d.schema == "" {
		return sql.Open("sqlite", "file:"+strings.TrimPrefix(database, "sqlite://")+"?mode=ro&_pragma=busy_timeout(1000)")
	}
	db, err := sql.Open("pgx", database)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(taught)
	return db, err
}

// taught are the functions that PostgreSQL does not have.
const taught = `
	CREATE OR REPLACE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT strpos($1, $2)';
	CREATE OR REPLACE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS
		'SELECT $1::json #>> string_to_array(substr($2, 3), ''.'')';
	CREATE OR REPLACE FUNCTION json_each(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE AS
		'SELECT value::text FROM json_array_elements(CASE json_typeof($1::json) WHEN ''array'' THEN $1::json END)'`

var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\?(\d*)`) })

// says returns a query in the words of the dialect.
func (d Dialect) says(query string) string {
	if d.schema == "" {
		return query
	}
	n := 0
	query = parameter().ReplaceAllStringFunc(query, func(p string) string {
		n++
		if named, err := strconv.Atoi(p[1:]); err == nil {
			return fmt.Sprint("$", named)
		}
		return fmt.Sprint("$", n)
	})
	return strings.ReplaceAll(query, "main.", d.schema+".")
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	store "waybill/store/driver"
)

// Target is a database into which the rows of another one are moved. Until that has ended no server opens it.
type Target struct {
	place   string
	schema  store.Schema
	session *session
	kinds   map[string]map[string]string // of the columns of each table, as the server calls them
}

// moving is the table of a database into which rows are being moved: how far each table has come.
const moving = `
CREATE TABLE moving (
	tbl  TEXT NOT NULL PRIMARY KEY, -- '': of all tables
	from_state TEXT NOT NULL,       -- the contents of the database that they come from
	last BIGINT NOT NULL,           -- the last row of the other database that is here
	done BOOLEAN NOT NULL
);
`

// OpenTarget opens the database that a URL names for the rows of another one with this state. It must be empty, or have
// rows of that state from an earlier try.
func OpenTarget(ctx context.Context, url string, schema store.Schema, state string) (_ *Target, err error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	t := &Target{place: placeOf(config.ConnConfig), schema: schema}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open database %s: %w", t.place, explain(errors.Join(err, t.Close())))
		}
	}()
	if t.session, err = dial(ctx, config.ConnConfig, prepareSession); err != nil {
		return nil, err
	}
	if err := checkServer(ctx, t.session.conn); err != nil {
		return nil, err
	}
	if err := t.session.lock(ctx, backend{}, lockSession); err != nil {
		return nil, err
	}
	if _, err := t.session.conn.Exec(ctx, `SET statement_timeout = 0`); err != nil { // tables may be large
		return nil, err
	}
	if err := pgx.BeginFunc(ctx, t.session.conn, func(tx pgx.Tx) error { return t.enter(ctx, tx, state) }); err != nil {
		return nil, err
	}
	return t, t.learn(ctx)
}

// enter makes the tables, or finds those of an earlier try.
func (t *Target) enter(ctx context.Context, tx pgx.Tx, state string) error {
	has, err := tablesOf(ctx, tx)
	switch {
	case err != nil:
		return err
	case has.tables == 0:
		text := texts().ReplaceAllString(t.schema.Text, `TEXT COLLATE "C"`)
		if _, err := tx.Conn().PgConn().Exec(ctx, text+moving).ReadAll(); err != nil {
			return fmt.Errorf("create its tables: %w", err)
		}
		_, err := tx.Exec(ctx, `INSERT INTO moving (tbl, from_state, last, done) VALUES ('', $1, 0, FALSE)`, state)
		return err
	case !has.moving:
		if has.ours == 2 {
			return fmt.Errorf("%w: it is not empty: there is a ledger in it; nothing was changed; if that is the one that was "+
				"moved, check it with waybill export --verify, else name an empty database", store.ErrUnsuitable)
		}
		return fmt.Errorf("%w: it is not empty; nothing was changed; name an empty database", store.ErrUnsuitable)
	}
	var earlier string
	if err := tx.QueryRow(ctx, `SELECT from_state FROM moving WHERE tbl = ''`).Scan(&earlier); err != nil {
		return err
	}
	if earlier != state {
		return fmt.Errorf("%w: it has rows of an earlier try, and a server has worked on the other database since, or it is "+
			"another one: name an empty database", store.ErrUnsuitable)
	}
	return nil
}

// learn reads which kind of values each column has.
func (t *Target) learn(ctx context.Context) error {
	rows, err := t.session.conn.Query(ctx, `SELECT table_name, column_name, data_type FROM information_schema.columns
		WHERE table_schema = current_schema()`)
	if err != nil {
		return t.failed(err)
	}
	t.kinds = map[string]map[string]string{}
	var table, column, kind string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		if t.kinds[table] == nil {
			t.kinds[table] = map[string]string{}
		}
		t.kinds[table][column] = kind
		return nil
	})
	return t.failed(err)
}

// Reached returns the last row of the other database that a table here has, and whether it has all.
func (t *Target) Reached(ctx context.Context, table store.Table) (last int64, done bool, err error) {
	err = t.session.conn.QueryRow(ctx, `SELECT last, done FROM moving WHERE tbl = $1`, table.Name).Scan(&last, &done)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return last, done, t.failed(err)
}

// Write adds rows to a table, the last of which is that of the other database with the number last. The first ones take
// the place of rows that an empty ledger has.
func (t *Target) Write(ctx context.Context, table store.Table, rows [][]any, first bool, last int64, done bool) error {
	return t.failed(pgx.BeginFunc(ctx, t.session.conn, func(tx pgx.Tx) error {
		if first {
			if _, err := tx.Exec(ctx, `DELETE FROM `+table.Name); err != nil {
				return err
			}
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Columns, pgx.CopyFromRows(rows)); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
		_, err := tx.Exec(ctx, `INSERT INTO moving (tbl, from_state, last, done) VALUES ($1, '', $2, $3)
			ON CONFLICT (tbl) DO UPDATE SET last = $2, done = $3`, table.Name, last, done)
		return err
	}))
}

// Stored returns a row of another database as a table here keeps it.
func (t *Target) Stored(table store.Table, row []any) ([]any, error) {
	stored := make([]any, len(row))
	for i, value := range row {
		kind := t.kinds[table.Name][table.Columns[i]]
		switch v := value.(type) {
		case int64:
			if stored[i] = v; kind == "boolean" {
				stored[i] = v != 0
			}
		case string:
			if stored[i] = store.Storable(v); kind == "bytea" {
				stored[i] = []byte(v)
			}
		case []byte:
			stored[i] = append([]byte{}, v...) // SQLite gives no bytes as nil, which would be NULL
		case nil, bool:
			stored[i] = v
		default:
			return nil, fmt.Errorf("%s.%s has a value of type %T", table.Name, table.Columns[i], value)
		}
	}
	return stored, nil
}

// Sum returns the checksum of a table.
func (t *Target) Sum(ctx context.Context, table store.Table) (sum store.Sum, err error) {
	rows, err := t.session.conn.Query(ctx, `SELECT `+strings.Join(table.Columns, ", ")+` FROM `+table.Name)
	if err != nil {
		return sum, t.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Values()
		if err != nil {
			return sum, t.failed(err)
		}
		if err := sum.Add(row); err != nil {
			return sum, t.failed(fmt.Errorf("%s: %w", table.Name, err))
		}
	}
	return sum, t.failed(rows.Err())
}

// Count has a table that numbers its rows go on behind a number.
func (t *Target) Count(ctx context.Context, table store.Table, n int64) error {
	_, err := t.session.conn.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, a.attname), $2) FROM pg_attribute a
		WHERE a.attrelid = to_regclass($1) AND a.attidentity <> ''`, table.Name, n)
	return t.failed(err)
}

// Finish lets servers open the database. The first one knows that it has a copy.
func (t *Target) Finish(ctx context.Context, now time.Time) error {
	return t.failed(pgx.BeginFunc(ctx, t.session.conn, func(tx pgx.Tx) error {
		if _, err := tx.Conn().PgConn().Exec(ctx, guards+keeper+`DROP TABLE moving;`).ReadAll(); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, t.schema.OnCopy); err != nil {
			return err
		}
		_, err := tx.Exec(ctx,
			`INSERT INTO schema_version (one, version, oldest, digest, made_at) VALUES (1, $1, $1, $2, $3)`,
			t.schema.Version, t.schema.Digest, now.UnixMicro())
		return err
	}))
}

// Close ends the session.
func (t *Target) Close() error {
	if t.session == nil {
		return nil
	}
	return t.session.close()
}

// failed says at which database something has failed; nil if nothing has.
func (t *Target) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("move into %s: %w", t.place, explain(err))
}

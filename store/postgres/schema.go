package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"waybill/store/driver"
)

// open opens the first session, and makes sure that the database has our tables. Nothing is written before that is
// known.
func (w *writer) open(ctx context.Context, schema driver.Schema) error {
	s, err := dial(ctx, w.config, w.db.preparation())
	if err != nil {
		return err
	}
	w.session = s
	if err := checkServer(ctx, s.conn); err != nil {
		return err
	}
	if err := s.lock(ctx, backend{}, w.db.lock()); err != nil {
		return err
	}
	if err := w.prepare(ctx, schema); err != nil {
		return err
	}
	if w.db.steady == nil {
		var now time.Time
		if err := s.conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
			return fmt.Errorf("read the server's clock: %w", err)
		}
		w.db.server = &serverClock{clock: w.db.clock}
		w.db.server.set(now)
		w.db.steady = w.db.server.now
	}
	return nil
}

// prepare makes the tables where there are none, and notes that this process has the database.
func (w *writer) prepare(ctx context.Context, schema driver.Schema) error {
	return pgx.BeginFunc(ctx, w.session.conn, func(tx pgx.Tx) error {
		if w.db.shared {
			if _, err := tx.Exec(ctx, lockTurn, turnClass); err != nil {
				return fmt.Errorf("lock it: %w", err)
			}
		}
		made, err := madeBy(ctx, tx)
		switch {
		case err != nil:
			return err
		case made == nil:
			if err := create(ctx, tx, schema, w.db.now()); err != nil {
				return fmt.Errorf("create its tables: %w", err)
			}
		default:
			upgrades, err := schema.Since(*made, "another database")
			if err != nil {
				return err
			}
			breaks := func(u driver.Upgrade) bool { return !u.Adds }
			if w.db.shared && slices.ContainsFunc(upgrades, breaks) {
				if err := alone(ctx, tx); err != nil {
					return err
				}
			}
			if err := upgrade(ctx, tx, schema.After(*made, upgrades), upgrades); err != nil {
				return fmt.Errorf("change its tables, which are as they were: %w", err)
			}
		}
		return w.enter(ctx, tx, schema)
	})
}

// alone takes the lock of the database for a transaction, if no other server shares it: those of an earlier version
// could not read what it is about to write.
func alone(ctx context.Context, tx pgx.Tx) error {
	var got bool
	if err := tx.QueryRow(ctx, lockAlone, lockClass).Scan(&got); err != nil {
		return fmt.Errorf("lock it: %w", err)
	}
	if !got {
		return fmt.Errorf("%w: its tables are of an earlier version, with which other servers work: stop them all, and then "+
			"start this one", driver.ErrInUse)
	}
	return nil
}

// enter notes that this process has the database. A database that was restored from a dump is told that it is a copy:
// the server gives its tables new ids.
func (w *writer) enter(ctx context.Context, tx pgx.Tx, schema driver.Schema) error {
	var copied bool
	err := tx.QueryRow(ctx, `UPDATE keeper SET number = number + 1 WHERE one = 1
		RETURNING number, made_as <> 'keeper'::regclass::oid::bigint`).Scan(&w.number, &copied)
	if err != nil {
		return fmt.Errorf("note that this process has it: %w", err)
	}
	if !copied {
		return nil
	}
	for _, statement := range []string{
		schema.OnCopy, `UPDATE keeper SET made_as = 'keeper'::regclass::oid::bigint WHERE one = 1`,
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("note that it is a copy: %w", err)
		}
	}
	return nil
}

// keeper is a table of the driver: how many processes have had the database, and the id of this table itself.
const keeper = `
CREATE TABLE keeper (
	one     BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
	number  BIGINT NOT NULL,
	made_as BIGINT NOT NULL
);
INSERT INTO keeper (one, number, made_as) VALUES (1, 0, 'keeper'::regclass::oid::bigint);
`

// texts are the columns whose values are compared by their bytes, as Go does, whatever the language of the database is.
var texts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bTEXT\b`) })

// create makes the tables.
func create(ctx context.Context, tx pgx.Tx, schema driver.Schema, now time.Time) error {
	if err := run(ctx, tx, inPostgres(schema.Text), guards, keeper); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO schema_version (one, version, oldest, digest, made_at) VALUES (1, $1, $1, $2, $3)`,
		schema.Version, schema.Digest, now.UnixMicro())
	return err
}

// upgrade changes the tables of an earlier version, if the database lacks upgrades.
func upgrade(ctx context.Context, tx pgx.Tx, to driver.Made, upgrades []driver.Upgrade) error {
	if len(upgrades) == 0 {
		return nil
	}
	for _, u := range upgrades {
		if err := run(ctx, tx, inPostgres(u.Text)); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `UPDATE schema_version SET version = $1, digest = $2, oldest = $3`, to.Version, to.Digest,
		to.Oldest)
	return err
}

// inPostgres is a script in the words of this driver.
func inPostgres(script string) string { return texts().ReplaceAllString(script, `TEXT COLLATE "C"`) }

// run runs scripts.
func run(ctx context.Context, tx pgx.Tx, scripts ...string) error {
	for _, script := range scripts {
		if _, err := tx.Conn().PgConn().Exec(ctx, script).ReadAll(); err != nil {
			return err
		}
	}
	return nil
}

// querier is a session or a transaction.
type querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// contents are the tables of a database.
type contents struct {
	tables int
	ours   int  // those that every ledger has
	moving bool // rows are being moved into it
}

// tablesOf looks for the tables of a database.
func tablesOf(ctx context.Context, c querier) (has contents, err error) {
	err = c.QueryRow(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE relname IN ('schema_version', 'keeper')),
			COUNT(*) FILTER (WHERE relname = 'moving') > 0 FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`).
		Scan(&has.tables, &has.ours, &has.moving)
	if err != nil {
		return has, fmt.Errorf("read its tables: %w", err)
	}
	return has, nil
}

// madeBy returns the schema that made a database; nil if it has no tables. One with the tables of another program is
// refused.
func madeBy(ctx context.Context, c querier) (*driver.Made, error) {
	has, err := tablesOf(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case has.tables == 0:
		return nil, nil
	case has.moving:
		return nil, fmt.Errorf("%w: waybill migrate has not ended: run it again, or name another database",
			driver.ErrUnsuitable)
	case has.ours < 2:
		return nil, fmt.Errorf("%w: another program made its tables; nothing was changed; choose another database",
			driver.ErrNotDatabase)
	}
	m := new(driver.Made)
	if err := c.QueryRow(ctx, `SELECT version, digest, oldest FROM schema_version`).Scan(
		&m.Version, &m.Digest, &m.Oldest); err != nil {
		return nil, fmt.Errorf("read its version: %w", err)
	}
	return m, nil
}

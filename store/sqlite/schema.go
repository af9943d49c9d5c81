package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"waybill/store/driver"
)

// prepare makes sure that the file is sound and has our tables. Nothing is written before that is known.
func (db *DB) prepare(ctx context.Context, schema driver.Schema, copied func(file string)) error {
	c := db.writer.conn
	if err := check(c); err != nil {
		return err
	}
	made, err := madeBy(c)
	if err != nil {
		return err
	}
	if made == nil {
		// SQLite can give idle pages back only in a file that was told so before it had tables.
		if err := c.once(`PRAGMA auto_vacuum = INCREMENTAL`); err != nil {
			return fmt.Errorf("prepare it: %w", err)
		}
		if err := keepLog(c); err != nil {
			return err
		}
		return create(c, schema, db.now())
	}
	upgrades, err := schema.Since(*made, "another path")
	if err != nil {
		return err
	}
	if err := keepLog(c); err != nil || len(upgrades) == 0 {
		return err
	}
	file, err := copyBefore(ctx, db.path, made.Version, schema.OnCopy, db.now())
	if err != nil {
		return fmt.Errorf("copy it before its tables are changed: %w", err)
	}
	if err := upgrade(c, schema.After(*made, upgrades), upgrades); err != nil {
		return errors.Join(err, os.Remove(file)) // which has nothing that the file does not have
	}
	if copied != nil {
		copied(file)
	}
	if err := dropCopies(db.path); err != nil {
		return fmt.Errorf("remove its earlier copies: %w", err)
	}
	return nil
}

// create makes the tables.
func create(c *conn, schema driver.Schema, now time.Time) error {
	err := c.together(func() error {
		for _, script := range []string{inSQLite(schema.Text), guards} {
			if err := c.once(script); err != nil {
				return err
			}
		}
		return c.once(`INSERT INTO schema_version (one, version, oldest, digest, made_at) VALUES (1, $1, $1, $2, $3)`,
			schema.Version, schema.Digest, now.UnixMicro())
	})
	if err != nil {
		return fmt.Errorf("create its tables: %w", err)
	}
	return nil
}

// upgrade changes the tables of an earlier version.
func upgrade(c *conn, to driver.Made, upgrades []driver.Upgrade) error {
	err := c.together(func() error {
		for _, u := range upgrades {
			if err := c.once(inSQLite(u.Text)); err != nil {
				return err
			}
		}
		return c.once(`UPDATE schema_version SET version = $1, digest = $2, oldest = $3`, to.Version, to.Digest, to.Oldest)
	})
	if err != nil {
		return fmt.Errorf("change its tables, which are as they were: %w", err)
	}
	return nil
}

// inSQLite is a script in the words of SQLite.
func inSQLite(script string) string {
	return strings.ReplaceAll(script, driver.Sequence, "INTEGER PRIMARY KEY AUTOINCREMENT")
}

// together has statements run in one transaction.
func (c *conn) together(statements func() error) error {
	err := c.once(`BEGIN IMMEDIATE`)
	if err == nil {
		err = statements()
	}
	if err == nil {
		err = c.once(`COMMIT`)
	}
	if err != nil {
		_ = c.once(`ROLLBACK`) // fails when SQLite has done so itself
	}
	return err
}

// madeBy returns the schema that made a file; nil if it has no tables. A file with the tables of another program is
// refused, and so is one from before there was a single schema.
func madeBy(c *conn) (*driver.Made, error) {
	var tables, ours, early int
	err := c.scan(`SELECT COUNT(*), COUNT(CASE WHEN name = 'schema_version' THEN 1 END),
		COUNT(CASE WHEN name = 'schema_versions' THEN 1 END) FROM sqlite_master WHERE type = 'table'`, &tables, &ours, &early)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read its tables: %w", err)
	case tables == 0:
		return nil, nil
	case early > 0:
		return nil, fmt.Errorf("%w: nothing was changed; choose another path for a new database", driver.ErrOlder)
	case ours == 0:
		return nil, fmt.Errorf("%w: another program made it; nothing was changed; choose another path", driver.ErrNotDatabase)
	}
	m := new(driver.Made)
	if err := c.scan(`SELECT version, digest, oldest FROM schema_version`, &m.Version, &m.Digest, &m.Oldest); err != nil {
		return nil, fmt.Errorf("read its version: %w", err)
	}
	return m, nil
}

package sqlite

import (
	"fmt"
	"strings"
	"time"

	"waybill/store/driver"
)

// prepareFile makes sure that the file is sound and has our tables. Nothing is written before that is known.
func prepareFile(c *conn, schema driver.Schema, now time.Time) error {
	if err := check(c); err != nil {
		return err
	}
	made, err := madeBy(c)
	if err != nil {
		return err
	}
	if made != nil {
		if err := schema.Accept(made.version, made.digest, "another path"); err != nil {
			return err
		}
		return keepLog(c)
	}
	// SQLite can give idle pages back only in a file that was told so before it had tables.
	if err := c.once(`PRAGMA auto_vacuum = INCREMENTAL`); err != nil {
		return fmt.Errorf("prepare it: %w", err)
	}
	if err := keepLog(c); err != nil {
		return err
	}
	return create(c, schema, now)
}

// create makes the tables, in one transaction.
func create(c *conn, schema driver.Schema, now time.Time) error {
	err := c.once(`BEGIN IMMEDIATE`)
	text := strings.ReplaceAll(schema.Text, driver.Sequence, "INTEGER PRIMARY KEY AUTOINCREMENT")
	for _, script := range []string{text, guards} {
		if err == nil {
			err = c.once(script)
		}
	}
	if err == nil {
		err = c.once(`INSERT INTO schema_version (one, version, digest, made_at) VALUES (1, $1, $2, $3)`,
			schema.Version, schema.Digest, now.UnixMicro())
	}
	if err == nil {
		err = c.once(`COMMIT`)
	}
	if err != nil {
		_ = c.once(`ROLLBACK`) // fails when SQLite has done so itself
		return fmt.Errorf("create its tables: %w", err)
	}
	return nil
}

// maker is the schema that made a file.
type maker struct {
	version int64
	digest  string
}

// madeBy returns the schema that made a file; nil if it has no tables. A file with the tables of another program is
// refused, and so is one from before there was a single schema.
func madeBy(c *conn) (*maker, error) {
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
	m := new(maker)
	if err := c.scan(`SELECT version, digest FROM schema_version`, &m.version, &m.digest); err != nil {
		return nil, fmt.Errorf("read its version: %w", err)
	}
	return m, nil
}

package store

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Migrations are run once each, in the order of their numbers, and never undone. A new version of Waybill adds files;
// it never changes one.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step of the schema.
type migration struct {
	version int
	sql     string
}

// steps returns all migrations by number.
func steps(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	slices.Sort(names)
	var all []migration
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != len(all)+1 {
			return nil, fmt.Errorf("list migrations: %s should have number %d", name, len(all)+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		all = append(all, migration{version, string(text)})
	}
	return all, nil
}

// prepareFile makes sure that the file is sound and ours, and that it has the newest schema. Nothing is written before
// that is known.
func prepareFile(c *conn, now time.Time) error {
	all, err := steps(migrations)
	if err != nil {
		return err
	}
	if err := check(c); err != nil {
		return err
	}
	have, err := schemaVersion(c)
	if err != nil {
		return err
	}
	if newest := len(all); have > newest {
		return newer(have, newest)
	}
	if have == 0 { // later it is too late: a file becomes one of which idle pages can be given back only without tables
		if err := c.once(`PRAGMA auto_vacuum = INCREMENTAL`); err != nil {
			return fmt.Errorf("prepare it: %w", err)
		}
	}
	if err := keepLog(c); err != nil {
		return err
	}
	if err := migrate(c, all[have:], now); err != nil {
		return err
	}
	return guard(c)
}

func newer(have, newest int) error {
	return fmt.Errorf("%w: its schema is version %d and this program knows versions up to %d: "+
		"run the newer Waybill, or restore a backup from before it", ErrNewer, have, newest)
}

// migrate runs the missing migrations in one transaction: all of them or nothing.
func migrate(c *conn, missing []migration, now time.Time) error {
	if len(missing) == 0 {
		return nil
	}
	if err := unbound(c, func() error { return alone(c, func() error { return run(c, missing, now) }) }); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// unbound runs fn while no row has to refer to one that is there: a table that others refer to can only be made anew so.
func unbound(c *conn, fn func() error) error {
	if err := c.once(`PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	return errors.Join(fn(), c.once(`PRAGMA foreign_keys = ON`))
}

// alone runs fn in a transaction, before there is a writer to share it with.
func alone(c *conn, fn func() error) error {
	if err := c.once(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		err = c.once(`COMMIT`)
	}
	if err != nil {
		_ = c.once(`ROLLBACK`) // fails when the database has done so itself; the first error is the one to report
	}
	return err
}

func run(c *conn, missing []migration, now time.Time) error {
	err := c.once(`CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)`)
	if err != nil {
		return err
	}
	for _, m := range missing {
		if err := c.once(m.sql); err != nil {
			return fmt.Errorf("to version %d: %w", m.version, err)
		}
		if err := c.once(`INSERT INTO schema_versions (version, applied_at) VALUES ($1, $2)`, m.version, micros(now)); err != nil {
			return fmt.Errorf("to version %d: %w", m.version, err)
		}
	}
	return intact(c)
}

// intact reports rows that refer to one that is not there.
func intact(c *conn) error {
	dangling := 0
	if err := c.scan(`SELECT COUNT(*) FROM pragma_foreign_key_check`, &dangling); err != nil {
		return fmt.Errorf("look for rows that refer to nothing: %w", err)
	}
	if dangling > 0 {
		return fmt.Errorf("%w: %d rows refer to nothing; nothing was changed; restore a backup", ErrDamaged, dangling)
	}
	return nil
}

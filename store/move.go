package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waybill/store/driver"
	"waybill/store/postgres"
	"waybill/store/sqlite"
)

// chunk is how many rows are moved in one transaction.
const chunk = 5000

// Moved is a table that has been moved.
type Moved struct {
	Table string
	Rows  int64
	Hash  string // of all rows: the same in both databases
}

// Progress hears how a move goes.
type Progress struct {
	Copied func(table string, rows int) // some rows have been copied
	Equal  func(Moved)                  // a table has been compared
}

// Move copies a ledger from a SQLite file into an empty database of PostgreSQL, and compares every table of both. No
// server may have the file open. A move that was ended early can be repeated: it continues where it was. No server can
// open the new database before all tables are there and equal. The first one that does asks GitHub for everything that
// has happened since, as after the restore of a backup, before it decides anything.
func Move(ctx context.Context, from, to string, hears Progress) (err error) {
	old, err := locate(from)
	if err != nil {
		return err
	}
	fresh, err := locate(to)
	if err != nil {
		return err
	}
	if old.url != "" || fresh.url == "" {
		return driver.Misaddress("a ledger is moved from sqlite://PATH to postgres://USER:PASSWORD@HOST:5432/DATABASE, " +
			"not otherwise")
	}
	source, err := sqlite.OpenSource(ctx, old.path, schema())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	state, err := source.State(ctx)
	if err != nil {
		return err
	}
	target, err := postgres.OpenTarget(ctx, fresh.url, schema(), state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	m := move{source, target, hears}
	tables, err := source.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := m.copy(ctx, t); err != nil {
			return err
		}
	}
	for _, t := range tables {
		sum, err := m.compare(ctx, t)
		if err != nil {
			return err
		}
		hears.Equal(Moved{t.Name, sum.Rows, sum.String()})
	}
	return target.Finish(ctx, time.Now())
}

// move is a move under way.
type move struct {
	source *sqlite.Source
	target *postgres.Target
	hears  Progress
}

// copy copies the rows of a table that the target does not have yet.
func (m move) copy(ctx context.Context, t driver.Table) error {
	last, done, err := m.target.Reached(ctx, t)
	if err != nil {
		return err
	}
	for !done {
		rows, end, err := m.source.Rows(ctx, t, last, chunk)
		if err != nil {
			return err
		}
		for i, row := range rows {
			if rows[i], err = m.target.Stored(t, row); err != nil {
				return err
			}
		}
		done = len(rows) < chunk
		if err := m.target.Write(ctx, t, rows, last == 0, end, done); err != nil {
			return err
		}
		m.hears.Copied(t.Name, len(rows))
		last = end
	}
	n, err := m.source.Counted(ctx, t)
	if err != nil || n == 0 {
		return err
	}
	return m.target.Count(ctx, t, n)
}

// compare returns the checksum of a table if it is the same in both databases, and else an error.
func (m move) compare(ctx context.Context, t driver.Table) (driver.Sum, error) {
	there, err := m.target.Sum(ctx, t)
	if err != nil {
		return there, err
	}
	var here driver.Sum
	for last := int64(0); ; {
		rows, end, err := m.source.Rows(ctx, t, last, chunk)
		if err != nil {
			return here, err
		}
		for _, row := range rows {
			stored, err := m.target.Stored(t, row)
			if err == nil {
				err = here.Add(stored)
			}
			if err != nil {
				return here, err
			}
		}
		if last = end; len(rows) < chunk {
			break
		}
	}
	if here != there {
		return here, fmt.Errorf("table %s has %d rows and the hash %s, and its copy %d and %s: name an empty database and "+
			"begin anew", t.Name, here.Rows, &here, there.Rows, &there)
	}
	return here, nil
}

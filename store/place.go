package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"waybill/store/driver"
	"waybill/store/postgres"
	"waybill/store/sqlite"
)

// place is where a database is. URLs are not part of errors: they may hold a password.
type place struct {
	path string // of a file
	url  string // of a server; empty: it is a file
}

// locate reads a URL of a database.
func locate(url string) (place, error) {
	scheme, rest, found := strings.Cut(url, "://")
	switch {
	case !found:
		return place{}, driver.Misaddress("open database: the URL must look like sqlite://waybill.db, " +
			"or postgres://USER:PASSWORD@HOST:5432/DATABASE")
	case scheme == "sqlite":
		return place{path: rest}, nil
	case scheme == "postgres" || scheme == "postgresql":
		return place{url: url}, nil
	}
	return place{}, driver.Misaddress("open database: " + scheme + ":// is not supported by this version: use " +
		"sqlite://PATH, or postgres://USER:PASSWORD@HOST:5432/DATABASE")
}

// Place names the database of a URL for people, without user, password and parameters.
func Place(url string) string {
	p, err := locate(url)
	if err != nil {
		return "of an unknown kind"
	}
	if p.url == "" {
		return url
	}
	return p.place()
}

func (p place) place() string {
	if p.url == "" {
		return p.path
	}
	return postgres.Place(p.url)
}

// open opens the database, and sets the steady clock if there is none.
func (p place) open(ctx context.Context, o *Options) (driver.DB, error) {
	if p.url != "" {
		db, err := postgres.Open(ctx, p.url, o.schema, postgres.Options{
			Clock: o.Clock, Steady: o.Steady, Shared: o.Shared, Ended: o.Ended, Heard: o.Heard,
		})
		if err != nil {
			return nil, err
		}
		o.Steady = db.Steady
		return db, nil
	}
	if clock := o.Clock; o.Steady == nil {
		opened := clock()
		o.Steady = func() time.Time { return opened.Add(clock().Sub(opened)) }
	}
	db, err := sqlite.Open(ctx, p.path, o.schema, sqlite.Options{
		Clock: o.Clock, Steady: o.Steady, Shared: o.Shared, Heard: o.Heard, Copied: o.Copied,
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// Read runs fn in a transaction that reads a database which another process may have open. The database must be there
// and have this version's schema: nothing is created.
func Read(ctx context.Context, url string, fn func(tx *Tx) error) error {
	p, err := locate(url)
	if err != nil {
		return err
	}
	read := func(c driver.Conn) error { return fn(new(Store).newTx(c)) }
	if p.url != "" {
		return postgres.Read(ctx, p.url, schema(), read)
	}
	return sqlite.Read(ctx, p.path, schema(), read)
}

// Backup writes a consistent copy of the database that url names to a new file, while another process may be writing to
// it. Only the owner may read the file, which must not exist yet. A server has programs of its own for that.
func Backup(ctx context.Context, url, file string) error {
	p, err := locate(url)
	switch {
	case err != nil:
		return err
	case p.url != "":
		return fmt.Errorf("back up %s: a PostgreSQL database is copied by its own programs: "+
			"run pg_dump --format=custom --file=FILE with the URL of the database, "+
			"and go back to it with pg_restore into an empty one; the next start notices that it is a copy", p.place())
	}
	return sqlite.Backup(ctx, p.path, schema(), file)
}

// LastBackup returns when Backup has last copied the database file that url names; the zero time if it is not known.
func LastBackup(url string) time.Time {
	p, err := locate(url)
	if err != nil || p.url != "" {
		return time.Time{}
	}
	return sqlite.LastBackup(p.path)
}

// Restore puts a copy, which is read to its end, in the place of the database file that url names, while no server runs
// on it. What was there stays beside it under the name that is returned; that is empty if there was nothing. PostgreSQL
// has programs of its own for that.
func Restore(ctx context.Context, url string, from io.Reader, now time.Time) (kept string, err error) {
	p, err := locate(url)
	switch {
	case err != nil:
		return "", err
	case p.url != "":
		return "", fmt.Errorf("restore %s: a PostgreSQL database is restored by its own programs: "+
			"run pg_restore into an empty one; the next start notices that it is a copy", p.place())
	}
	return sqlite.Restore(ctx, p.path, schema(), from, now)
}

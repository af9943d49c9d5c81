package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Options are what a store may be told. The zero value is good for production.
type Options struct {
	// Clock tells the time; nil is time.Now. It is read once for each transaction.
	Clock func() time.Time
	// ParkAfter is how often a delivery is tried before it is parked for a person to look at; 0 is 8.
	ParkAfter int
}

// defaultParkAfter parks a delivery after its retries have spread over some hours.
const defaultParkAfter = 8

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	path      string
	clock     func() time.Time
	parkAfter int
	holder    string // names this process in claims

	lock    *fileLock
	writing *sql.DB
	reading *sql.DB
	writer  *writer
	readers *readers

	closing   sync.Once
	closed    chan struct{}
	closeOnce error
}

// Open opens the database that url names, creates or migrates it, and takes over the claims of the process that had it
// before. The only kind of url is sqlite://PATH; a relative path is one below the working directory.
//
// What cannot be used is left as it is: a file of a newer version, of another program, damaged, read-only or in use by
// another process is an error that names the path and the remedy.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	path, err := pathOf(url)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, explain(err))
	}
	return s, nil
}

// pathOf returns the file that a database URL names. The URL is not part of the error: it may hold a password.
func pathOf(url string) (string, error) {
	scheme, path, found := strings.Cut(url, "://")
	switch {
	case !found:
		return "", errors.New("open database: the URL must look like sqlite://waybill.db")
	case scheme != "sqlite":
		return "", fmt.Errorf("open database: %s:// is not supported by this version: use sqlite://PATH", scheme)
	case path == "" || strings.ContainsAny(path, "?#"):
		return "", errors.New("open database: the URL must be sqlite:// and the path of a file, without parameters")
	}
	return path, nil
}

func open(ctx context.Context, path string, o Options) (_ *Store, err error) {
	s := &Store{
		path: path, clock: o.Clock, parkAfter: o.ParkAfter, holder: rand.Text(),
		readers: newReaders(), closed: make(chan struct{}),
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.parkAfter <= 0 {
		s.parkAfter = defaultParkAfter
	}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.lock, err = lockFile(path + ".lock"); err != nil {
		return nil, err
	}
	if err = inspect(path); err != nil {
		return nil, err
	}
	if err = s.connect(ctx); err != nil {
		return nil, err
	}
	if err = prepareFile(s.writer.conn, s.now()); err != nil {
		return nil, err
	}
	go s.writer.run(s)
	if err = s.Update(ctx, func(tx *Tx) error { return tx.takeOver() }); err != nil {
		close(s.closed)
		<-s.writer.stopped
	}
	return s, err
}

// connect opens the connection that writes. Those that read are opened when they are needed.
func (s *Store) connect(ctx context.Context) (err error) {
	if s.writing, err = openSQLite(s.path, writerPragmas); err != nil {
		return err
	}
	if s.reading, err = openSQLite(s.path, readerPragmas); err != nil {
		return err
	}
	c, err := newConn(ctx, s.writing)
	if err != nil {
		return err
	}
	s.writer = newWriter(c)
	return nil
}

// now is the time that a transaction carries.
func (s *Store) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Close finishes the transactions that have begun, and closes the database. Later calls fail with ErrClosed.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		<-s.writer.stopped
		s.closeOnce = s.release()
	})
	return s.closeOnce
}

// release closes whatever is open, once nobody reads any more. The last connection to close moves everything from the
// write-ahead log to the file.
func (s *Store) release() error {
	var errs []error
	if s.writer != nil {
		errs = append(errs, s.readers.close(), s.writer.conn.close())
	}
	for _, db := range []*sql.DB{s.reading, s.writing} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close database %s: %w", s.path, err)
	}
	return nil
}

// Ping reports whether the database can be written to, by writing to it.
func (s *Store) Ping(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE process SET checked_at = $1 WHERE one = 1`, micros(tx.Now))
		return err
	})
}

// takeOver notes who has the database now, and makes the claims of whoever had it before claimable at once: with the
// file locked, no other process can be at work. What was claimed keeps its count of attempts, so that it is first looked
// for on GitHub.
func (tx *Tx) takeOver() error {
	for _, query := range []string{
		`UPDATE effects SET run_at = $1 WHERE state IN ('due', 'doing') AND state = 'doing' AND holder <> $2`,
		`UPDATE deliveries SET run_at = $1 WHERE state = 'waiting' AND attempts > 0 AND holder <> '' AND holder <> $2`,
		`UPDATE views SET run_at = $1, holder = '' WHERE holder <> '' AND holder <> $2`,
		`UPDATE pipelines SET resync_due = $1, resync_holder = '' WHERE resync_holder <> '' AND resync_holder <> $2`,
		`UPDATE clocks SET due_at = $1, holder = '' WHERE holder <> '' AND holder <> $2`,
		`INSERT INTO process (one, started_at, holder, checked_at) VALUES (1, $1, $2, $1)
		 ON CONFLICT (one) DO UPDATE SET started_at = $1, holder = $2, checked_at = $1`,
	} {
		if _, err := tx.exec(query, micros(tx.Now), tx.holder); err != nil {
			return fmt.Errorf("take over claims: %w", err)
		}
	}
	return nil
}

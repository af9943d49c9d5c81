package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"waybill/store/driver"
)

//go:embed schema.sql
var schemaText string

// upgrades lead from each released version of the schema to the next. Until the first release there is one version, and
// its text is edited in place.
var upgrades []driver.Upgrade

// schema is the schema that a database must have.
var schema = sync.OnceValue(func() driver.Schema {
	sum := sha256.Sum256([]byte(schemaText))
	return driver.Schema{
		Text: schemaText, OnCopy: onCopy, Version: 1 + int64(len(upgrades)), Digest: hex.EncodeToString(sum[:]),
		Upgrades: upgrades,
	}
})

// Options configure a store. The zero value is good for production.
type Options struct {
	// Clock tells the time; nil is time.Now. It is read once for each transaction.
	Clock func() time.Time
	// Steady tells the time by a clock that is never set, by which leases run out; nil is Clock since the start, which
	// heeds the monotonic clock that time.Now reads. On a server it is that clock from the server's time on.
	Steady func() time.Time
	// ParkAfter is how often a delivery is tried before it is parked for a person to look at; 0 is 8.
	ParkAfter int
	// Content is how many pull requests and comments an installation makes at most.
	Content ContentPace
	// Rehearse has each Update run its function twice, the first time in vain. Tests use it to find functions that cannot
	// run again, as a database may ask of them.
	Rehearse bool
	// Shared lets several stores write to one database. Tests use it to work as several processes do; a server has its
	// database for itself, which is faster.
	Shared bool
	// Ended says that every earlier process has certainly ended: its leases are void at once, also on a server. Tests that
	// end it themselves use it.
	Ended bool
	// Heard, if set, is called with each statement that runs, the limits of transactions included. Several goroutines call
	// it.
	Heard func(query string)

	// Copied, if set, is called with the name of the copy that was made of a file of an earlier version, once its tables
	// are changed.
	Copied func(file string)

	wrap   func(driver.DB) driver.DB // for tests that listen to statements
	schema driver.Schema             // for tests of later versions; the zero value is that of this program
}

// defaultParkAfter parks a delivery after its retries have spread over some hours.
const defaultParkAfter = 8

// Store is an open ledger. Its methods may be called from any goroutine.
type Store struct {
	db        driver.DB
	watched   *watched
	parkAfter int
	content   ContentPace
	holder    string // names this process in leases
	leases    atomic.Int64
	clock     func() time.Time
	steady    func() time.Time // never set back or forward
	looks     pastLooks
	// unsuspected says that no work is suspect, and none will be as long as this process has the database alone
	unsuspected atomic.Bool
	beat        atomic.Pointer[heartbeat] // when this server said last that it is at work; nil: it never has
}

// Open opens the database that url names, and creates its tables if there are none. Tables of an earlier version are
// upgraded; a SQLite file is copied first (Options.Copied). A url is sqlite://PATH, where a relative path is one below
// the working directory, or postgres://USER:PASSWORD@HOST/DATABASE. Leases of an earlier process end if that has
// certainly ended.
//
// A database that cannot be used is left as it is: one of another version, of another program, damaged, read-only or in
// use by another process is an error that names the place and the remedy.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	where, err := locate(url)
	if err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.schema.Version == 0 {
		o.schema = schema()
	}
	if o.ParkAfter <= 0 {
		o.ParkAfter = defaultParkAfter
	}
	db, err := where.open(ctx, &o)
	if err != nil {
		return nil, err
	}
	w := &watched{DB: db, steady: o.Steady}
	s := &Store{
		db: w, watched: w, parkAfter: o.ParkAfter, content: o.Content.withDefaults(),
		clock: o.Clock, steady: o.Steady,
		holder: rand.Text()[:holderLength],
	}
	if o.Rehearse {
		s.db = rehearsing{s.db}
	}
	if o.wrap != nil {
		s.db = o.wrap(s.db)
	}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", where.place(), err), db.Close())
	}
	return s, nil
}

// begin notes that this process has the database, which also shows that it can be written to.
func (s *Store) begin(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		if s.db.Alone() {
			if err := tx.takeOver(); err != nil {
				return err
			}
		}
		// The server that shut these accounts until further notice had the database alone, and has ended.
		if _, err := tx.exec(`DELETE FROM gates WHERE lasting`); err != nil {
			return fmt.Errorf("open the accounts: %w", err)
		}
		if err := tx.noteAbsence(); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO process (one, started_at, holder, checked_at) VALUES (1, $1, $2, $1)
			ON CONFLICT (one) DO UPDATE SET started_at = $1, holder = $2, checked_at = $1`, micros(tx.Now), tx.store.holder)
		return err
	})
}

// Update runs fn in a transaction and returns when its writes are durable. An error of fn undoes its own writes and no
// others; so does a panic, which is returned as a contain.Panic. After a failed statement all later ones fail, and the
// transaction is undone.
//
// fn may run again, so it changes nothing outside but variables that it sets anew each time. It should be short, and
// must not wait for anything, least of all for another Update or View. It runs on the goroutine of its caller. The
// context is heeded until the transaction begins. Where it is that of work that is leased (Holding), fn runs only if
// the lease is held.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	return s.update(ctx, s.db.Update, func(tx *Tx) error {
		if err := tx.hold(ctx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// UpdateOne is Update for an fn that runs one statement at most, which makes sure of a lease by itself.
func (s *Store) UpdateOne(ctx context.Context, fn func(tx *Tx) error) error {
	return s.update(ctx, s.db.UpdateOne, fn)
}

// update runs fn in a transaction, and notes what that has written and claimed.
func (s *Store) update(
	ctx context.Context, in func(context.Context, func(driver.Conn) error) error, fn func(tx *Tx) error,
) error {
	var wrote tables
	var claimed []took
	err := in(ctx, func(c driver.Conn) error {
		tx := s.newTx(c)
		defer func() { wrote, claimed = wrote|tx.wrote, tx.took }()
		return fn(tx)
	})
	if err != nil {
		claimed = nil
	}
	s.looks.written(wrote)
	for _, t := range claimed {
		s.looks.tookAll(t)
	}
	return err
}

// View runs fn in a transaction that reads: it sees one state of the database, and keeps no other from writing. A panic
// in fn is returned as an error.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	return s.db.View(ctx, func(c driver.Conn) error { return fn(s.newTx(c)) })
}

// ViewOne is View for an fn that runs one statement at most.
func (s *Store) ViewOne(ctx context.Context, fn func(tx *Tx) error) error {
	return s.db.ViewOne(ctx, func(c driver.Conn) error { return fn(s.newTx(c)) })
}

// Shrink gives unused space back to the file system, in a short transaction, if there is enough of it. It reports
// whether it did: then there may be more.
func (s *Store) Shrink(ctx context.Context) (shrunk bool, err error) { return s.db.Shrink(ctx) }

// Size returns how many bytes the database takes up, with what is not yet in its main file.
func (s *Store) Size(ctx context.Context) (int64, error) { return s.db.Size(ctx) }

// Lost is closed when another process has taken the database over, so that this one has to stop. It is nil where that
// cannot happen.
func (s *Store) Lost() <-chan struct{} { return s.db.Lost() }

// Close finishes the transactions that have begun, and closes the database. Later calls fail with driver.ErrClosed.
func (s *Store) Close() error { return s.db.Close() }

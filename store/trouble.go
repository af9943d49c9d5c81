package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"waybill/store/driver"
)

// watched is a database that remembers why it could not be used.
type watched struct {
	driver.DB
	steady func() time.Time

	mu      sync.Mutex
	trouble error
	at      time.Time // of the last error
}

// passing are the classes of errors that are the database's own and may be over later; lasting are those that last
// until another file is put in its place.
var (
	passing = []error{
		driver.ErrDiskFull, driver.ErrReadOnly, driver.ErrInUse, driver.ErrDisk, driver.ErrUnreachable, driver.ErrUncertain,
	}
	lasting = []error{driver.ErrDamaged, driver.ErrNotDatabase}
)

func oneOf(classes []error, err error) bool {
	return slices.ContainsFunc(classes, func(class error) bool { return errors.Is(err, class) })
}

// Update implements driver.DB.
func (w *watched) Update(ctx context.Context, fn func(driver.Conn) error) error {
	return w.note(w.DB.Update(ctx, fn))
}

// UpdateOne implements driver.DB.
func (w *watched) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return w.note(w.DB.UpdateOne(ctx, fn))
}

// View implements driver.DB.
func (w *watched) View(ctx context.Context, fn func(driver.Conn) error) error {
	return w.note(w.DB.View(ctx, fn))
}

// ViewOne implements driver.DB.
func (w *watched) ViewOne(ctx context.Context, fn func(driver.Conn) error) error {
	return w.note(w.DB.ViewOne(ctx, fn))
}

// troubled is an error of the database that may be over later: what failed with it may be done again, and GitHub has
// refused nothing.
type troubled struct{ error }

// Unwrap returns the error.
func (t troubled) Unwrap() error { return t.error }

// Again says that the same may be done again.
func (t troubled) Again() (after time.Duration, again bool) { return 0, true }

// outOfTime are errors of a call that ended before the database did what it should. They do not tell why.
var outOfTime = []error{context.DeadlineExceeded, context.Canceled}

// note remembers an error, if it is the database's own, and returns it. What was out of time may be done again.
func (w *watched) note(err error) error {
	switch {
	case oneOf(passing, err), oneOf(lasting, err):
	case oneOf(outOfTime, err):
		return troubled{err}
	default:
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at = w.steady(); !oneOf(lasting, w.trouble) {
		w.trouble = err
	}
	if oneOf(passing, err) {
		return troubled{err}
	}
	return err
}

// calm is for how long the database must have had no trouble until it is tried: small writes may still succeed on a
// full disk.
const calm = 2 * time.Second

// Trouble returns why the database could not be used; nil if it can be, as far as its last use has shown. Damage stays.
func (s *Store) Trouble() error {
	s.watched.mu.Lock()
	defer s.watched.mu.Unlock()
	return s.watched.trouble
}

// Mend writes to the database if it was in trouble that passes, to find out whether that is over. It reports whether it
// is.
func (s *Store) Mend(ctx context.Context) (over bool) {
	w := s.watched
	w.mu.Lock()
	due := oneOf(passing, w.trouble) && w.steady().Sub(w.at) >= calm
	w.mu.Unlock()
	if !due || s.touch(ctx) != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if over = w.steady().Sub(w.at) >= calm; over {
		w.trouble = nil
	}
	return over
}

// touch writes to the database.
func (s *Store) touch(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE process SET checked_at = $1 WHERE one = 1`, micros(tx.Now))
		return err
	})
}

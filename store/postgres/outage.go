package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waybill/store/driver"
)

// A session that was lost is replaced. Callers wait for that for a moment, as they would for a server that is started
// anew; when an outage lasts, they are told at once, and the watch goes on trying.
const (
	patience  = 10 * time.Second
	firstWait = 50 * time.Millisecond
	longest   = 5 * time.Second
	beat      = 5 * time.Second // between two signs of life
)

// outage is the time since the session was lost. The zero value is none.
type outage struct {
	since time.Time
	last  error         // of the last try to connect
	next  time.Time     // the next try
	wait  time.Duration // after that
}

// failed notes a try in vain.
func (o *outage) failed(err error, now time.Time) {
	if o.since.IsZero() {
		o.since, o.wait = now, firstWait
	}
	o.last, o.next, o.wait = err, now.Add(o.wait), min(2*o.wait, longest)
}

// connected returns the session, and connects if there is none.
func (w *writer) connected(ctx context.Context) (*session, error) {
	for w.session == nil {
		if o := w.outage; o.last != nil {
			if left := time.Until(o.next); left > 0 {
				if time.Since(o.since) > patience {
					return nil, o.last
				}
				if err := sleep(ctx, left); err != nil {
					return nil, err
				}
			}
		}
		err := w.connect(ctx)
		switch {
		case err == nil:
			w.outage = outage{}
		case errors.Is(err, driver.ErrInUse): // not ours any more
			return nil, w.lose()
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !isLost(err) || time.Since(w.outage.since) > patience && !w.outage.since.IsZero():
			w.outage.failed(err, time.Now())
			return nil, err
		default:
			w.outage.failed(err, time.Now())
		}
	}
	return w.session, nil
}

// connect opens a session and takes the lock. Who does not share it makes sure that no other process has had it
// meanwhile.
func (w *writer) connect(ctx context.Context) error {
	s, err := dial(ctx, w.config, w.db.preparation())
	if err != nil {
		return err
	}
	if err = s.lock(ctx, w.earlier, w.db.lock()); err == nil && !w.db.shared {
		err = w.stillOurs(ctx, s)
	}
	if err != nil {
		return errors.Join(err, s.close())
	}
	w.session = s
	return nil
}

// stillOurs makes sure that no other process has had the database since this one opened it.
func (w *writer) stillOurs(ctx context.Context, s *session) error {
	var number int64
	if err := s.conn.QueryRow(ctx, `SELECT number FROM keeper WHERE one = 1`).Scan(&number); err != nil {
		return fmt.Errorf("read who has it: %w", err)
	}
	if number != w.number {
		return fmt.Errorf("%w meanwhile", driver.ErrInUse)
	}
	return nil
}

// drop forgets a session that has ended.
func (w *writer) drop() {
	if w.session != nil {
		w.earlier = w.session.id
		_ = w.session.close() // it has ended
		w.session = nil
	}
}

// lose ends all work: another process has the database.
func (w *writer) lose() error {
	select {
	case <-w.lost:
	default:
		close(w.lost)
	}
	return errTakenOver
}

// watch looks whether the session is alive while nobody uses it, and opens another one if not: only who has the lock
// may go on.
func (w *writer) watch() {
	defer close(w.stopped)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-w.db.closed:
		case <-w.lost:
		case <-ctx.Done():
		}
		cancel()
	}()
	for sleep(ctx, beat) == nil {
		select {
		case <-w.turn:
			w.look(ctx)
			w.give()
		default: // whoever has the turn finds out
		}
	}
}

// look makes sure that there is a session.
func (w *writer) look(ctx context.Context) {
	if w.session != nil && !w.session.alive(ctx) && ctx.Err() == nil {
		w.drop()
	}
	_, _ = w.connected(ctx) // who needs it next is told of an error
}

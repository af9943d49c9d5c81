package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"waybill/internal/contain"
	"waybill/store/driver"
)

// updateTime bounds a transaction that writes, should the server not answer any more.
const updateTime = 2 * time.Minute

// collisions is how often a transaction is tried that others make impossible.
const collisions = 5

// writer owns the session that writes. Its callers take turns.
type writer struct {
	db     *DB
	config *pgx.ConnConfig
	turn   chan struct{} // whoever has taken its one value may use what stands below

	session *session // nil: there is none
	earlier backend  // of the session before
	outage  outage
	number  int64 // of this process among those that had the database; 0: not known yet
	gone    bool  // closed

	lost    chan struct{} // closed when another process has taken over
	stopped chan struct{} // closed when watch has ended; nil: it was not started
}

func newWriter(db *DB, config *pgx.ConnConfig) *writer {
	w := &writer{db: db, config: config, turn: make(chan struct{}, 1), lost: make(chan struct{})}
	w.turn <- struct{}{}
	return w
}

// Update implements driver.DB. The transaction is READ COMMITTED, and it is the only one that writes: so it sees one
// state.
func (db *DB) Update(ctx context.Context, fn func(driver.Conn) error) error {
	return db.writer.write(ctx, fn)
}

// UpdateOne implements driver.DB: in a transaction too, because whether it was committed can be found out afterwards.
func (db *DB) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return db.writer.write(ctx, fn)
}

// write waits for a turn and runs fn. It runs it again if the transaction was certainly not committed, and has failed
// because of the connection or of another transaction.
func (w *writer) write(ctx context.Context, fn func(driver.Conn) error) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.give()
	for tries := 1; ; tries++ {
		s, err := w.connected(ctx)
		if err != nil {
			return explain(err)
		}
		u := &update{writer: w, session: s}
		err = u.run(fn)
		if s.conn.IsClosed() {
			w.drop()
		}
		switch {
		case err == nil:
			return nil
		case u.unsure:
			written, err := w.find(ctx, u.id, err)
			if written || err != nil {
				return err
			}
		case u.broken == nil:
			return err
		case collides(u.broken) && tries < collisions, isLost(u.broken) && tries < collisions:
		default:
			return explain(err)
		}
	}
}

// take waits for a turn.
func (w *writer) take(ctx context.Context) error {
	if err := w.db.usable(ctx); err != nil {
		return err
	}
	select {
	case <-w.turn:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.db.closed:
		return driver.ErrClosed
	case <-w.lost:
		return errTakenOver
	}
	if w.gone {
		w.give()
		return driver.ErrClosed
	}
	return nil
}

func (w *writer) give() { w.turn <- struct{}{} }

// update is one try of a transaction.
type update struct {
	*writer
	session *session
	id      string // of the transaction, by which the server knows later what became of it
	unsure  bool   // the answer to COMMIT is missing
	broken  error  // the error of the server or the connection that made it fail; nil: fn failed by itself
}

// run runs fn between BEGIN and COMMIT. Nothing is sent if fn runs no statement.
func (u *update) run(fn func(driver.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), updateTime)
	defer cancel()
	var pid uint32
	var now time.Time
	t := &transaction{ctx: ctx, conn: u.session.conn, heard: u.db.heard, prelude: []opening{
		{query: `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`},
		{query: `SELECT pg_current_xact_id()::text, pg_backend_pid()`, dest: []any{&u.id, &pid}},
	}}
	if u.db.shared { // the time is that at which its turn has come
		lock := opening{query: lockTurn, args: []any{turnClass}, dest: []any{nil}}
		clock := opening{query: `SELECT clock_timestamp()`, dest: []any{&now}}
		t.prelude = []opening{t.prelude[0], lock, t.prelude[1], clock}
		if err := t.begin(); err != nil {
			u.broken = err
			u.undo(t)
			return err
		}
		if u.db.server != nil {
			u.db.server.set(now)
		}
	}
	t.now, t.steady = u.db.now(), u.db.steadyNow()
	ended := false
	defer func() {
		if !ended { // fn has ended its goroutine
			u.undo(t)
		}
	}()
	err := contain.Do(func() error { return fn(t) })
	ended = true
	u.broken = t.failed
	if err == nil {
		err = t.failed
	}
	if err == nil && t.begun && pid != u.session.id.pid {
		err = errPooler
	}
	if err != nil {
		u.undo(t)
		return err
	}
	return u.commit(t)
}

// errPooler says that the lock is not where the transactions are.
var errPooler = fmt.Errorf("%w: a pooler in front of it gives each transaction another session: connect to the server "+
	"itself, or have the pooler work by sessions", driver.ErrUnsuitable)

// undo ends the transaction without its writes. If that fails, the session ends, which undoes them too.
func (u *update) undo(t *transaction) {
	if !t.begun || u.session.conn.IsClosed() {
		return
	}
	t.hear(`ROLLBACK`)
	if _, err := u.session.conn.Exec(t.ctx, `ROLLBACK`); err != nil {
		_ = u.session.close()
	}
}

// commit ends the transaction. An error that the server reports without ending the session has undone it.
func (u *update) commit(t *transaction) error {
	if !t.begun {
		return nil
	}
	t.hear(`COMMIT`)
	tag, err := u.session.conn.Exec(t.ctx, `COMMIT`)
	switch {
	case err == nil && tag.String() != "COMMIT":
		return fmt.Errorf("commit: the server has undone the transaction: %s", tag)
	case err == nil:
		return nil
	}
	u.unsure, u.broken = u.session.conn.IsClosed(), err
	return fmt.Errorf("commit: %w", explain(err))
}

// find asks the server whether a transaction was written whose end is not known. It returns an error if that cannot be
// found out.
func (w *writer) find(ctx context.Context, id string, failed error) (written bool, err error) {
	for until := time.Now().Add(lockTime); time.Now().Before(until); {
		s, err := w.connected(ctx)
		if err != nil {
			return false, errors.Join(fmt.Errorf("%w: %w", driver.ErrUncertain, failed), err)
		}
		var state *string
		err = s.conn.QueryRow(ctx, `SELECT pg_xact_status($1::text::xid8)`, id).Scan(&state)
		switch {
		case s.conn.IsClosed():
			w.drop()
			continue
		case err != nil || state == nil: // the server is another one, or it is too long ago
			return false, fmt.Errorf("%w: %w", driver.ErrUncertain, failed)
		case *state == "committed":
			return true, nil
		case *state == "aborted":
			return false, nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			break
		}
	}
	return false, fmt.Errorf("%w: %w", driver.ErrUncertain, failed)
}

// close ends the session, once whoever has the turn is done.
func (w *writer) close() error {
	if w.stopped != nil {
		<-w.stopped
	}
	<-w.turn
	defer w.give()
	w.gone = true
	if w.session == nil {
		return nil
	}
	return w.session.close()
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"waybill/store/driver"
)

// session is a connection that writes. While it lives, it has the lock of the database, or shares it with the sessions
// of other servers.
type session struct {
	conn *pgx.Conn
	id   backend
}

// backend is the server's process that serves a session.
type backend struct {
	pid     uint32
	started string // tells it from another one with the same number
}

// lockClass tells the locks of ledgers from those of other programs: "wayb". The second half of a lock is the schema,
// so that two ledgers may be in one database.
const lockClass = 0x77617962

// turnClass is that of the lock of the transaction that writes, where several servers have the database.
const turnClass = lockClass + 1

// The statements that take the lock for as long as a session lives: alone, or together with all others that share it.
const (
	lockSession  = `SELECT pg_try_advisory_lock($1, hashtext(current_schema()))`
	shareSession = `SELECT pg_try_advisory_lock_shared($1, hashtext(current_schema()))`
)

// The statements that take a lock for a transaction: that of the turn, and, for a session that shares the lock of the
// database, that one alone.
const (
	lockTurn  = `SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))`
	lockAlone = `SELECT pg_try_advisory_xact_lock($1, hashtext(current_schema()))`
)

// lockTime is how long a session that is ending may still have the lock.
const lockTime = 3 * time.Second

// preparation sets what a session needs.
type preparation func(context.Context, *pgx.Conn) error

// dial opens a session, without the lock.
func dial(ctx context.Context, config *pgx.ConnConfig, prepare preparation) (_ *session, err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn}
	if err := prepare(ctx, conn); err != nil {
		return nil, errors.Join(err, s.close())
	}
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid(), COALESCE((SELECT backend_start::text FROM pg_stat_activity
		WHERE pid = pg_backend_pid()), '')`).Scan(&s.id.pid, &s.id.started)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// lock takes the lock of the database, or says who has it. The server may not know yet that an earlier session of this
// process has ended: it is told.
func (s *session) lock(ctx context.Context, earlier backend, take string) error {
	if earlier != (backend{}) {
		if _, err := s.conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid = $1 AND backend_start::text = $2`, earlier.pid, earlier.started); err != nil {
			return fmt.Errorf("end the session before: %w", err)
		}
	}
	for until := time.Now().Add(lockTime); ; {
		var got bool
		if err := s.conn.QueryRow(ctx, take, lockClass).Scan(&got); err != nil {
			return fmt.Errorf("lock it: %w", err)
		}
		if got {
			return nil
		}
		if time.Now().After(until) {
			return s.explainHolder(ctx)
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// explainHolder says who has the lock, as far as the role may know.
func (s *session) explainHolder(ctx context.Context) error {
	var holder string
	err := s.conn.QueryRow(ctx, `SELECT COALESCE(a.application_name, '?') || ', session ' || l.pid
			|| COALESCE(' from ' || host(a.client_addr), '')
		FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objsubid = 2
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		LIMIT 1`, lockClass).Scan(&holder)
	if err != nil {
		holder = "it has just ended"
	}
	return fmt.Errorf("%w (%s): stop it first, or name another database; one server works on a database, "+
		"or several that all have WAYBILL_REPLICAS=true", driver.ErrInUse, holder)
}

// alive reports whether the server answers.
func (s *session) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	return s.conn.Ping(ctx) == nil
}

// close ends the session, and with it the lock.
func (s *session) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), pingTime)
	defer cancel()
	return s.conn.Close(ctx)
}

// sleep waits, or returns why not.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

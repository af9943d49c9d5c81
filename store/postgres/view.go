package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"waybill/internal/contain"
	"waybill/store/driver"
)

// viewTime bounds a transaction that reads, should the server not answer any more.
const viewTime = 10 * time.Minute

// oneState begins a transaction whose statements see one state.
var oneState = []opening{{query: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`}}

// View implements driver.DB.
func (db *DB) View(ctx context.Context, fn func(driver.Conn) error) error {
	return db.view(ctx, false, fn)
}

// ViewOne implements driver.DB: without a transaction of its own.
func (db *DB) ViewOne(ctx context.Context, fn func(driver.Conn) error) error {
	return db.view(ctx, true, fn)
}

func (db *DB) view(ctx context.Context, single bool, fn func(driver.Conn) error) error {
	c, err := db.reader(ctx)
	if err != nil {
		return explain(err)
	}
	defer c.Release()
	limited, cancel := context.WithTimeout(context.Background(), viewTime)
	defer cancel()
	t := &transaction{
		ctx: limited, conn: c.Conn(), heard: db.heard, now: db.now(), steady: db.steadyNow(), single: single,
	}
	return t.read(fn)
}

// reader waits until one more may read. A server that is being started is waited for for a moment.
func (db *DB) reader(ctx context.Context) (*pgxpool.Conn, error) {
	for wait := firstWait; ; wait *= 2 {
		if err := db.usable(ctx); err != nil {
			return nil, err
		}
		c, err := db.readers.Acquire(ctx)
		switch {
		case err == nil:
			return c, nil
		case db.usable(ctx) != nil:
			return nil, db.usable(ctx)
		case !isLost(err) || wait > time.Second:
			return nil, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// read runs fn in a transaction that reads.
func (t *transaction) read(fn func(driver.Conn) error) error {
	if !t.single {
		t.prelude = oneState
	}
	defer func() {
		if t.begun && !t.conn.IsClosed() {
			t.hear(`ROLLBACK`)
			_, _ = t.conn.Exec(t.ctx, `ROLLBACK`) // nothing was written, and a session in a transaction is not used again
		}
	}()
	return contain.Do(func() error { return fn(t) })
}

// Read runs fn in a transaction that reads a database which a server may have open. It must have been made by the same
// schema: nothing is created.
func Read(ctx context.Context, url string, schema driver.Schema, fn func(driver.Conn) error) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	if err := readOnce(ctx, config, schema, fn); err != nil {
		return fmt.Errorf("read database %s: %w", placeOf(config.ConnConfig), explain(err))
	}
	return nil
}

func readOnce(
	ctx context.Context, config *pgxpool.Config, schema driver.Schema, fn func(driver.Conn) error,
) (err error) {
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	s := &session{conn: c}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := prepareSession(ctx, c); err != nil {
		return err
	}
	made, err := madeBy(ctx, c)
	switch {
	case err != nil:
		return err
	case made == nil:
		return fmt.Errorf("%w: it is empty; start the server once, which makes its tables", driver.ErrNotDatabase)
	}
	if err := schema.Accept(*made, "another database"); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	t := &transaction{ctx: context.WithoutCancel(ctx), conn: c, now: now, steady: now}
	return t.read(fn)
}

package store

import (
	"context"

	"waybill/store/driver"
)

// Sent counts the messages of a read-only transaction to its database.
type Sent struct {
	Batches int
	Alone   int // statements outside of batches
}

// Counting returns options for a database that keeps the counts of its latest View in into.
func Counting(o Options, into *Sent) Options {
	return o.wrapped(func(db driver.DB) driver.DB { return counter{db, into} })
}

type counter struct {
	driver.DB
	into *Sent
}

func (c counter) View(ctx context.Context, fn func(driver.Conn) error) error {
	return c.DB.View(ctx, func(conn driver.Conn) error {
		*c.into = Sent{}
		return fn(counted{conn, c.into})
	})
}

type counted struct {
	driver.Conn
	into *Sent
}

func (c counted) Exec(query string, args ...any) (int64, error) {
	c.into.Alone++
	return c.Conn.Exec(query, args...)
}

func (c counted) Query(query string, args ...any) (driver.Rows, error) {
	c.into.Alone++
	return c.Conn.Query(query, args...)
}

func (c counted) Batch(queries ...driver.Query) error {
	c.into.Batches++
	return c.Conn.Batch(queries...)
}

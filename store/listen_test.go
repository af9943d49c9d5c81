package store

import (
	"context"
	"sync"

	"waybill/store/driver"
)

// listener hears every statement that runs on a database.
type listener struct {
	driver.DB
	mu    sync.Mutex
	heard map[string]bool
}

func (l *listener) Update(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.Update(ctx, func(c driver.Conn) error { return fn(listening{c, l}) })
}

func (l *listener) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.UpdateOne(ctx, func(c driver.Conn) error { return fn(listening{c, l}) })
}

func (l *listener) View(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.View(ctx, func(c driver.Conn) error { return fn(listening{c, l}) })
}

type listening struct {
	driver.Conn
	to *listener
}

func (l listening) Exec(query string, args ...any) (int64, error) {
	l.to.hear(query)
	return l.Conn.Exec(query, args...)
}

func (l listening) Query(query string, args ...any) (driver.Rows, error) {
	l.to.hear(query)
	return l.Conn.Query(query, args...)
}

func (l *listener) hear(query string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard == nil {
		l.heard = map[string]bool{}
	}
	l.heard[query] = true
}

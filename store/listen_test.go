package store

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"waybill/store/driver"
)

// listener collects the statements that run on a database.
type listener struct {
	driver.DB
	into []*statements
}

// statements are SQL texts, each with one set of arguments for every combination of types.
type statements struct {
	mu  sync.Mutex
	all map[string]map[string][]any
}

// everything collects the statements that the tests of the package run.
var everything statements

// Collecting returns options for a database whose statements are collected in everything and in each of into.
func Collecting(o Options, into ...*statements) Options {
	into = append(into, &everything)
	return o.wrapped(func(db driver.DB) driver.DB { return &listener{db, into} })
}

// wrapped returns options for a database with one more wrapper.
func (o Options) wrapped(wrap func(driver.DB) driver.DB) Options {
	inner := o.wrap
	o.wrap = func(db driver.DB) driver.DB {
		if inner != nil {
			db = inner(db)
		}
		return wrap(db)
	}
	return o
}

func (l *listener) Update(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.Update(ctx, func(c driver.Conn) error { return fn(listening{c, l.into}) })
}

func (l *listener) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.UpdateOne(ctx, func(c driver.Conn) error { return fn(listening{c, l.into}) })
}

func (l *listener) View(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.View(ctx, func(c driver.Conn) error { return fn(listening{c, l.into}) })
}

func (l *listener) ViewOne(ctx context.Context, fn func(driver.Conn) error) error {
	return l.DB.ViewOne(ctx, func(c driver.Conn) error { return fn(listening{c, l.into}) })
}

type listening struct {
	driver.Conn
	into []*statements
}

// locks marks the place of another database's locking clause. It is a comment, because SQLite has no such clause.
const locks = ` /* FOR UPDATE */`

// ForUpdate implements driver.Conn.
func (l listening) ForUpdate() string { return locks }

func (l listening) Exec(query string, args ...any) (int64, error) {
	l.add(query, args)
	return l.Conn.Exec(query, args...)
}

func (l listening) Query(query string, args ...any) (driver.Rows, error) {
	l.add(query, args)
	return l.Conn.Query(query, args...)
}

func (l listening) Batch(queries ...driver.Query) error {
	for _, q := range queries {
		l.add(q.SQL, q.Args)
	}
	return l.Conn.Batch(queries...)
}

func (l listening) add(query string, args []any) {
	for _, s := range l.into {
		s.add(query, args)
	}
}

func (s *statements) add(query string, args []any) {
	var types strings.Builder
	for _, arg := range args {
		fmt.Fprintf(&types, "%T ", arg)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]map[string][]any{}
	}
	if s.all[query] == nil {
		s.all[query] = map[string][]any{}
	}
	s.all[query][types.String()] = args
}

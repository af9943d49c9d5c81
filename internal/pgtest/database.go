package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// shared is a server that all tests of a process use. It ends with the process, which then removes its directory.
var shared = sync.OnceValues(func() (*server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s, err := newServer(bin)
	if err != nil {
		return nil, err
	}
	s.leaves = true
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := s.start(ctx); err != nil {
		return nil, fmt.Errorf("start PostgreSQL of %s: %w\n%s", bin, err, s.output())
	}
	return s, run(s.url(), `CREATE DATABASE `+inWords+` LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0`)
})

// schemas counts those that tests have got on the shared server.
var schemas atomic.Int64

// Database returns the URL of an empty schema for a test, in a database that all tests of the process share: that is
// much sooner there than a database. It is removed with the test. Without an installed PostgreSQL the test is skipped,
// or fails if the environment has CI.
func Database(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	name := fmt.Sprintf("test%d", schemas.Add(1))
	u, err := url.Parse(s.url())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + inWords
	whole := u.String()
	admin(t, whole, `CREATE SCHEMA `+name)
	t.Cleanup(func() { remove(t, whole, `DROP SCHEMA `+name+` CASCADE`) })
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// Program returns the path of a program of the PostgreSQL that the tests use, such as pg_dump.
func Program(t testing.TB, name string) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(s.bin, name)
}

// inWords is a database that orders texts as people do, like most do: what must not depend on that shows there.
const inWords = "words"

// remove runs a statement that removes what a test has used. Sessions of a process that the test has killed may still
// be ending: if they and the statement wait for each other, it is run again.
func remove(t testing.TB, url, statement string) {
	t.Helper()
	const deadlock = "40P01"
	var failed *pgconn.PgError
	for range 5 {
		err := run(url, statement)
		if err == nil {
			return
		}
		if !errors.As(err, &failed) || failed.Code != deadlock {
			t.Errorf("%s: %v", statement, err)
			return
		}
	}
	t.Errorf("%s: %v", statement, failed)
}

// admin runs a statement.
func admin(t testing.TB, url, statement string) {
	t.Helper()
	if err := run(url, statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}

func run(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, statement)
	return err
}

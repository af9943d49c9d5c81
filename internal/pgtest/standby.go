package pgtest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// StartPair starts a server as Start does, and another one that repeats all that the first one does and may only be
// read. The first one commits nothing that the second does not have. fail ends the first server for good, and has the
// second take its place.
func StartPair(t testing.TB) (first, second string, fail func()) {
	t.Helper()
	one, two := forTest(t), forTest(t)
	doing(t, one, "start PostgreSQL", one.start)
	doing(t, two, "start a standby", func(ctx context.Context) error { return two.follow(ctx, one) })
	return one.url(), two.url(), func() {
		t.Helper()
		doing(t, two, "have the standby take over", func(context.Context) error {
			return errors.Join(one.end(), run(two.url(), `SELECT pg_promote()`))
		})
	}
}

// follow starts a server as the standby of another one, and has that one wait for it at each commit.
func (s *server) follow(ctx context.Context, first *server) error {
	backup := s.command(ctx, filepath.Join(s.bin, "pg_basebackup"), "--pgdata="+filepath.Join(s.dir, "data"),
		"--host="+first.dir, "--username="+superuser, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	if out, err := backup.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	for _, statement := range []string{
		`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`,
	} {
		if err := run(first.url(), statement); err != nil {
			return err
		}
	}
	return first.isFollowed(ctx)
}

// isFollowed waits until a standby confirms each commit.
func (s *server) isFollowed(ctx context.Context) error {
	c, err := pgx.Connect(ctx, s.url())
	if err != nil {
		return err
	}
	defer c.Close(context.Background())
	for {
		var so bool
		err := c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')`).Scan(&so)
		if err != nil || so {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

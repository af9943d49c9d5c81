// Package pgtest starts PostgreSQL servers for tests.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// oldest is the first major version of PostgreSQL whose SQL the ledger may use.
const oldest = 15

// timeout bounds the start and the end of a server.
const timeout = time.Minute

// superuser owns the databases of a server. It has no password: only the user who runs the server, and root, can open
// the directory of its socket.
const superuser = "waybill"

// Start starts a PostgreSQL server with an empty database for a test, and returns the URL of that database. The server
// listens on a Unix socket in a temporary directory of its own. It ends with the test, and also if the process of the
// test is killed.
//
// Without an installed PostgreSQL, the test is skipped, or fails if the environment has CI.
func Start(t testing.TB) string {
	t.Helper()
	url, _ := StartAgain(t)
	return url
}

// StartAgain is Start with a function that ends the server, as at once as its machine could, and starts it again on the
// same data and socket.
func StartAgain(t testing.TB) (url string, again func()) {
	t.Helper()
	s := forTest(t)
	doing(t, s, "start PostgreSQL", s.start)
	return s.url(), func() {
		t.Helper()
		doing(t, s, "start PostgreSQL again", func(ctx context.Context) error { return errors.Join(s.end(), s.run(ctx)) })
	}
}

// Socket returns the socket of the server of a URL that this package has returned.
func Socket(t testing.TB, at string) string {
	t.Helper()
	return filepath.Join(parsed(t, at).Query().Get("host"), ".s.PGSQL.5432")
}

// Through returns the URL of a database of this package as it is reached through other addresses, all of which lead to
// its server or to one that takes its place: the one is used that can be written to.
func Through(t testing.TB, at string, addresses ...string) string {
	t.Helper()
	u := parsed(t, at)
	q := u.Query()
	q.Del("host")
	q.Set("sslmode", "disable")
	if len(addresses) > 1 {
		q.Set("target_session_attrs", "read-write")
	}
	u.Host, u.RawQuery = strings.Join(addresses, ","), q.Encode()
	return u.String()
}

func parsed(t testing.TB, at string) *url.URL {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// forTest returns a server that has not started. It is removed with the test.
func forTest(t testing.TB) *server {
	t.Helper()
	bin, err := programs()
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	s, err := newServer(bin)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := s.remove(); err != nil {
			t.Errorf("end PostgreSQL: %v", err)
		}
	})
	return s
}

// doing does something with a server, and ends the test if it fails.
func doing(t testing.TB, s *server, what string, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := do(ctx); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, s.output())
	}
}

// programs returns the newest directory that has the programs of PostgreSQL. Debian keeps the programs of each version
// in a directory that is not in PATH.
func programs() (string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(found))
	}
	newest, best := "", 0
	for _, dir := range dirs {
		if version := majorVersion(dir); version > best {
			newest, best = dir, version
		}
	}
	if best < oldest {
		return "", fmt.Errorf("PostgreSQL %d or later is not installed: apt-get install postgresql", oldest)
	}
	return newest, nil
}

// majorVersion returns the version of the PostgreSQL in a directory; 0 if it cannot be read.
func majorVersion(dir string) int {
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0
	}
	digits := bytes.TrimPrefix(out, []byte("postgres (PostgreSQL) "))
	if end := bytes.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	version, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0
	}
	return version
}

// server is a PostgreSQL server with a directory of its own.
type server struct {
	bin  string
	dir  string
	as   *syscall.Credential // nil: the user of the test
	cmd  *exec.Cmd
	life io.Closer // closing it ends the server
	// leaves says that nobody removes the directory when the server has ended.
	leaves bool
	dead   chan struct{}
}

// newServer makes the directory of a server. Its path is short, because the path of a socket must be.
func newServer(bin string) (*server, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	if as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	return &server{bin: bin, dir: dir, as: as}, err
}

// unprivileged returns a user for the server if the test runs as root, because PostgreSQL refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var errs []error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
	}
	return nil, errors.Join(errs...)
}

// supervise runs a program until no process holds the other end of its standard input. A test that is killed thus
// leaves no server behind. Then it removes the directory in its first argument, unless that is empty.
const supervise = `exec 3<&0
leave=$1
shift
"$0" "$@" 3<&- &
program=$!
{ cat <&3 >/dev/null; kill -QUIT $program; } &
wait $program
[ -z "$leave" ] || rm -rf "$leave"`

// start makes the database and runs the server.
func (s *server) start(ctx context.Context) error {
	data := filepath.Join(s.dir, "data")
	initdb := s.command(ctx, filepath.Join(s.bin, "initdb"), "--pgdata="+data, "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s.run(ctx)
}

// run runs the server on the database. It returns when the server takes connections.
func (s *server) run(ctx context.Context) error {
	data := filepath.Join(s.dir, "data")
	log, err := os.Create(s.log())
	if err != nil {
		return err
	}
	defer log.Close()
	left := ""
	if s.leaves {
		left = s.dir
	}
	s.cmd = s.command(context.Background(), "/bin/sh", "-c", supervise,
		filepath.Join(s.bin, "postgres"), left, "-D", data, "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "shared_buffers=64MB", "-c", "full_page_writes=off", "-c", "autovacuum=off",
		"-c", "max_locks_per_transaction=256", "-c", "max_connections=200")
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if s.life, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.dead = make(chan struct{})
	go func() {
		_ = s.cmd.Wait() // a killed server returns an error
		close(s.dead)
	}()
	return s.answers(ctx)
}

// command returns a command that runs without privileges, in the directory of the server.
func (s *server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.dir
	if s.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	}
	return cmd
}

// answers waits until the server takes connections.
func (s *server) answers(ctx context.Context) error {
	for {
		c, err := pgx.Connect(ctx, s.url())
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-s.dead:
			return errors.New("the server has ended")
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// url returns the URL of the empty database that each server has.
func (s *server) url() string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres"}
	u.RawQuery = url.Values{"host": {s.dir}}.Encode()
	return u.String()
}

func (s *server) log() string { return filepath.Join(s.dir, "log") }

// output returns the server's log so far.
func (s *server) output() string {
	text, err := os.ReadFile(s.log())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// remove ends the server if it runs, and removes its directory.
func (s *server) remove() error {
	var err error
	if s.dead != nil {
		err = s.end()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

func (s *server) end() error {
	_ = s.life.Close()
	select {
	case <-s.dead:
		return nil
	case <-time.After(timeout):
		return errors.Join(errors.New("it still runs"), s.cmd.Process.Kill())
	}
}

package main

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/grown"
	"waybill/store"
)

// likeTheImage compiles the program as the Dockerfile does. With cgo, it would map the system's C library too.
const likeTheImage = "CGO_ENABLED=0"

// BenchmarkStart starts the program on a new database and on the one that the last process left, with a GitHub that has
// one installation. It measures the time until the first 2xx, and the memory after an idle second: the resident memory,
// and the part of it that is no page of the binary or the database. One operation is five starts.
func BenchmarkStart(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("this system does not tell the resident memory of a process")
	}
	binary := built(b, likeTheImage)
	github := installed(b, `
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}
`)
	b.Run("new", func(b *testing.B) {
		folder := b.TempDir()
		measureStarts(b, binary, github, func(n int) string { return filepath.Join(folder, fmt.Sprintf("%d.db", n)) })
	})
	b.Run("existing", func(b *testing.B) {
		database := filepath.Join(b.TempDir(), "waybill.db")
		s := newStart(b, binary, github, database)
		s.until("/readyz")
		s.stop()
		measureStarts(b, binary, github, func(int) string { return database })
	})
}

// measureStarts starts the program five times an operation, the nth time on database(n).
func measureStarts(b *testing.B, binary string, github *githubsim.Server, database func(n int) string) {
	var first, resident, anonymous []float64
	for n := range 5 * b.N {
		s := newStart(b, binary, github, database(n))
		first = append(first, float64(s.until("/healthz").Microseconds())/1000)
		time.Sleep(time.Second)
		resident = append(resident, s.megabytes("VmRSS"))
		anonymous = append(anonymous, s.megabytes("RssAnon"))
		s.stop()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(first), "ms-to-first-2xx")
	b.ReportMetric(slices.Max(first), "ms-to-first-2xx-worst")
	b.ReportMetric(median(resident), "MB-resident-idle")
	b.ReportMetric(slices.Max(resident), "MB-resident-idle-worst")
	b.ReportMetric(median(anonymous), "MB-anonymous-idle")
	b.ReportMetric(slices.Max(anonymous), "MB-anonymous-idle-worst")
}

// pending is the number of effects that the last process has left in BenchmarkReady.
const pending = 10_000

// BenchmarkReady starts the program on a database with ten thousand effects that the last process did not finish. It
// measures the time until the program is ready: the database can be written, and GitHub has answered. One operation is
// five starts.
func BenchmarkReady(b *testing.B) {
	binary := built(b, likeTheImage)
	github := installed(b, `
  s0: {from: api, set: {s0.yaml: {tag: "${api.short}"}}}
  s1: {from: api, set: {s1.yaml: {tag: "${api.short}"}}}
  s2: {from: api, set: {s2.yaml: {tag: "${api.short}"}}}
  s3: {from: {api: , web: }, set: {s3.yaml: {api: "${api.short}", web: "${web.short}"}}}
  rest: {from: web, set: {rest.yaml: {tag: "${web.short}"}}}
`)
	database := filepath.Join(b.TempDir(), "left.db")
	leave(b, binary, github, database)
	left, err := os.ReadFile(database)
	require.NoError(b, err)
	var ready []float64
	for range 5 * b.N {
		copied := filepath.Join(b.TempDir(), "waybill.db")
		require.NoError(b, os.WriteFile(copied, left, 0o600))
		s := newStart(b, binary, github, copied)
		ready = append(ready, float64(s.until("/readyz").Microseconds())/1000)
		s.stop()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ready), "ms-to-ready")
	b.ReportMetric(slices.Max(ready), "ms-to-ready-worst")
}

// leave creates the database of a process that was killed with many effects pending.
func leave(b *testing.B, binary string, github *githubsim.Server, database string) {
	s := newStart(b, binary, github, database)
	var known []store.PipelineRow
	require.Eventually(b, func() bool {
		return store.Read(context.Background(), "sqlite://"+database, func(tx *store.Tx) (err error) {
			known, err = tx.Pipelines.All()
			return err
		}) == nil && len(known) > 0 && len(known[0].Config) > 0
	}, time.Minute, 10*time.Millisecond)
	s.stop()
	grown.Promotions(b, database, known[0].ID, pending)
	db, err := sql.Open("sqlite", database)
	require.NoError(b, err)
	_, err = db.Exec(`UPDATE effects SET state = 'due', run_at = 0, done_at = NULL, token = 'dead' WHERE verb = 'open'`)
	require.NoError(b, err)
	require.NoError(b, db.Close())
}

// installed starts a GitHub with the App on a repository that has a pipeline of these stages, and a file for each.
func installed(b *testing.B, stages string) *githubsim.Server {
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, github.Close()) })
	files := map[string]string{".github/waybill.yml": `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [api/**]}}
  web: {pull-requests: {branch: main, paths: [web/**]}}
stages:` + stages}
	for _, file := range regexp.MustCompile(`[a-z0-9]+\.yaml`).FindAllString(stages, -1) {
		files[file] = "tag: none\napi: none\nweb: none\n"
	}
	require.NoError(b, github.CreateOrg("acme"))
	require.NoError(b, github.CreateRepo("acme/deploy", files))
	_, err = github.InstallApp("acme", "acme/deploy")
	require.NoError(b, err)
	return github
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// started is a running process of the program.
type started struct {
	b       *testing.B
	process *exec.Cmd
	at      time.Time
	address string
}

func newStart(b *testing.B, binary string, github *githubsim.Server, database string) *started {
	s := &started{b: b, process: exec.Command(binary, "serve"), address: freeAddress(b)}
	s.process.Env = []string{
		"GITHUB_WEB_URL=" + github.URL(), "GITHUB_V3_API_URL=" + github.V3URL(), "GITHUB_V4_API_URL=" + github.V4URL(),
		"GITHUB_APP_INTEGRATION_ID=" + strconv.FormatInt(github.AppID(), 10),
		"GITHUB_APP_WEBHOOK_SECRET=" + github.WebhookSecret(), "GITHUB_APP_PRIVATE_KEY=" + github.PrivateKeyPEM(),
		"WAYBILL_LISTEN=" + s.address, "WAYBILL_DATABASE_URL=sqlite://" + database,
	}
	s.at = time.Now()
	require.NoError(b, s.process.Start())
	b.Cleanup(func() { _ = s.process.Process.Kill() }) // it has exited already, unless the benchmark failed
	return s
}

// freeAddress returns a loopback address with no listener.
func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	return l.Addr().String()
}

// until polls a path until the process answers 200, and returns the time since the start of the process.
func (s *started) until(path string) time.Duration {
	for deadline := s.at.Add(time.Minute); time.Now().Before(deadline); {
		answer, err := http.Get("http://" + s.address + path)
		if err != nil {
			time.Sleep(time.Millisecond / 2) // leaves the processor to the process until it listens
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return time.Since(s.at)
		}
		time.Sleep(time.Millisecond)
	}
	s.b.Fatalf("the program did not say 200 at %s within a minute", path)
	return 0
}

// megabytes returns the process's memory of a kind, named as in /proc/PID/status.
func (s *started) megabytes(kind string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	require.NoError(s.b, err)
	_, rest, found := strings.Cut(string(status), kind+":")
	require.True(s.b, found)
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(s.b, err)
	return float64(kilobytes<<10) / 1e6
}

// stop sends the process a signal to end, and waits until it has exited.
func (s *started) stop() {
	require.NoError(s.b, s.process.Process.Signal(syscall.SIGTERM))
	require.NoError(s.b, s.process.Wait())
}

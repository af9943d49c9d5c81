package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// BenchmarkStart starts the program on a new database, with a GitHub that has one installation.
// It measures the time until the first 2xx, and the resident memory after a second of idleness. One operation is five
// starts.
func BenchmarkStart(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("this system does not tell the resident memory of a process")
	}
	binary := filepath.Join(b.TempDir(), "waybill")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(b, err)
	defer github.Close()
	require.NoError(b, github.CreateOrg("acme"))
	require.NoError(b, github.CreateRepo("acme/deploy", map[string]string{
		".github/waybill.yml": "version: 1\nwarehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\n" +
			"stages:\n  dev: {from: api, set: {dev.yaml: {tag: \"${api.short}\"}}}\n",
		"dev.yaml": "tag: none\n",
	}))
	_, err = github.InstallApp("acme", "acme/deploy")
	require.NoError(b, err)

	var ready, resident []float64
	for i := range 5 * b.N {
		s := newStart(b, binary, github, fmt.Sprintf("%d.db", i))
		ready = append(ready, float64(s.untilHealthy().Microseconds())/1000)
		time.Sleep(time.Second)
		resident = append(resident, float64(s.resident())/1e6)
		s.stop()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ready), "ms-to-first-2xx")
	b.ReportMetric(slices.Max(ready), "ms-to-first-2xx-worst")
	b.ReportMetric(median(resident), "MB-resident-idle")
	b.ReportMetric(slices.Max(resident), "MB-resident-idle-worst")
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
		"WAYBILL_LISTEN=" + s.address, "WAYBILL_DATABASE_URL=sqlite://" + filepath.Join(b.TempDir(), database),
	}
	s.at = time.Now()
	require.NoError(b, s.process.Start())
	b.Cleanup(func() { _ = s.process.Process.Kill() }) // it has ended, unless the benchmark failed
	return s
}

// freeAddress returns a loopback address that nobody listens on.
func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	return l.Addr().String()
}

// untilHealthy asks until the process answers 200, and returns how long that took since it was started.
func (s *started) untilHealthy() time.Duration {
	for deadline := s.at.Add(time.Minute); time.Now().Before(deadline); {
		answer, err := http.Get("http://" + s.address + "/healthz")
		if err != nil {
			time.Sleep(time.Millisecond / 2) // it does not listen yet, and should have the processor
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return time.Since(s.at)
		}
	}
	s.b.Fatal("the program did not become healthy within a minute")
	return 0
}

// resident returns how many bytes of memory the process occupies.
func (s *started) resident() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	require.NoError(s.b, err)
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	require.True(s.b, found)
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(s.b, err)
	return kilobytes << 10
}

// stop asks the process to end, and waits until it has.
func (s *started) stop() {
	require.NoError(s.b, s.process.Process.Signal(syscall.SIGTERM))
	require.NoError(s.b, s.process.Wait())
}

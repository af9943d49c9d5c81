package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/internal/githubsim"
)

// BenchmarkPromotion measures one promotion of a plain stage by pull request with one check, comments and labels
// included: the webhooks, the requests and the statements of the program in this process, and the processor time of a
// server process of its own. One operation is forty promotions, one after the other, with no limit on content.
func BenchmarkPromotion(b *testing.B) {
	const before, promotions = 25, 40
	b.Run("statements", func(b *testing.B) {
		c := newCost(b)
		var heard statements
		all := settings(c.github, filepath.Join(b.TempDir(), "waybill.db"))
		all.Content = ample
		p, err := start(zerolog.Nop().WithContext(b.Context()), c.github, all, app.World{Heard: heard.hear})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, p.kill()) })
		_, err = p.rest(b.Context())
		require.NoError(b, err)
		c.promote(before)
		for b.Loop() {
			heard.forget()
			c.github.ForgetRequests()
			hooks := c.github.Delivered()
			began := time.Now()
			c.promote(promotions)
			took := time.Since(began)
			webhooks, asked, total := c.github.Delivered()-hooks, len(c.github.Requests()), heard.total()
			heard.print(promotions)
			time.Sleep(5 * time.Second)
			heard.forget()
			time.Sleep(5 * time.Second)
			idle := float64(heard.total()) / 5
			b.ReportMetric(float64(webhooks)/promotions, "webhooks")
			b.ReportMetric(float64(asked)/promotions, "requests")
			b.ReportMetric(float64(total)/promotions-idle*took.Seconds()/promotions, "statements")
			b.ReportMetric(idle, "idle-statements/s")
		}
		b.ReportMetric(0, "ns/op")
	})
	b.Run("processor", func(b *testing.B) {
		c := newCost(b)
		v := newVictim(b, c.github)
		v.env = append(v.env, "WAYBILL_CONTENT_PER_MINUTE=10000", "WAYBILL_CONTENT_PER_HOUR=10000")
		v.start()
		c.until(v.ready, "the process is ready")
		time.Sleep(time.Second)
		c.promote(before)
		for b.Loop() {
			began := processorTime(b, v.pid())
			c.promote(promotions)
			took := processorTime(b, v.pid()) - began
			b.ReportMetric(took.Seconds()*1000/promotions, "ms-of-processor")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// cost is a simulated GitHub whose people merge one pull request after the other.
type cost struct {
	b      *testing.B
	github *githubsim.Server
	merged int
}

func newCost(b *testing.B) *cost {
	github, err := githubsim.Start(githubsim.Options{RateLimit: 1_000_000, Unchecked: true})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, github.Close()) })
	require.NoError(b, github.CreateRepo(home, map[string]string{
		".github/waybill.yml": oneStage, ".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
		"dev.yaml": "tag: none\n",
	}))
	require.NoError(b, github.CreateUser("ann", "acme"))
	require.NoError(b, github.SetPermission(home, "ann", "write"))
	_, err = github.InstallApp("acme", home)
	require.NoError(b, err)
	return &cost{b: b, github: github}
}

// promote merges pull requests. It waits for each until its freight is verified, and at the end for the comments.
func (c *cost) promote(n int) {
	for range n {
		c.merged++
		file := githubsim.Text(fmt.Sprintf("package main // %d\n", c.merged))
		number, err := c.github.OpenPull(home, githubsim.PullSpec{
			Title: "A change", Head: fmt.Sprint("change-", c.merged), Author: "ann",
			Files: map[string]*string{"src/main.go": file},
		})
		require.NoError(c.b, err)
		sha, err := c.github.MergePull(home, number, "ann", "squash")
		require.NoError(c.b, err)
		c.until(func() bool {
			text, _ := c.github.File(home, c.github.Head(home, "main"), "dev.yaml")
			return strings.Contains(text, sha[:7])
		}, "the freight is promoted")
		_, err = c.github.CreateCheckRun(home, githubsim.CheckSpec{
			Name: "smoke", SHA: c.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "success"})
		require.NoError(c.b, err)
		c.until(func() bool { return c.verified(sha) }, "the check run is green")
	}
	for asked := -1; asked != len(c.github.Requests()); time.Sleep(6 * time.Second) {
		asked = len(c.github.Requests())
	}
}

// verified reports whether the check run on a commit says that it is verified.
func (c *cost) verified(sha string) bool {
	return slices.ContainsFunc(c.github.CheckRuns(home, sha), func(run githubsim.CheckRun) bool {
		return run.App == "waybill" && run.Conclusion == "success"
	})
}

func (c *cost) until(so func() bool, what string) {
	c.b.Helper()
	c.within(time.Minute, so, what)
}

// within waits until something is so. It looks rarely where it may take long.
func (c *cost) within(most time.Duration, so func() bool, what string) {
	c.b.Helper()
	for begun := time.Now(); !so(); time.Sleep(most / 30_000) {
		require.Less(c.b, time.Since(begun), most, what)
	}
}

// processorTime is how much processor time a process has used.
func processorTime(b *testing.B, pid string) time.Duration {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	require.NoError(b, err)
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		require.NoError(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// statements counts the statements of a program.
type statements struct {
	mu sync.Mutex
	by map[string]int
}

func (s *statements) hear(query string) {
	if os.Getenv("WAYBILL_STATEMENTS") == "from" {
		query = "[" + caller() + "] " + query
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]int{}
	}
	s.by[query]++
}

// caller is the line outside of package store that runs a statement; empty of one that begins or ends a transaction.
func caller() string {
	frames := runtime.CallersFrames(callers())
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasPrefix(f.Function, "waybill/app") || strings.HasPrefix(f.Function, "waybill/handlers") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndex(f.File, "/app/")+1:], f.Line)
		}
	}
	return ""
}

func callers() []uintptr {
	pcs := make([]uintptr, 40)
	return pcs[:runtime.Callers(3, pcs)]
}

func (s *statements) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.by)
}

func (s *statements) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.by {
		n += count
	}
	return n
}

// print prints how often each statement ran for a promotion, if WAYBILL_STATEMENTS is set.
func (s *statements) print(promotions int) {
	if os.Getenv("WAYBILL_STATEMENTS") == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range slices.SortedFunc(maps.Keys(s.by), func(x, y string) int { return cmp.Compare(s.by[y], s.by[x]) }) {
		text := strings.Join(strings.Fields(q), " ")
		fmt.Printf("%7.1f %s\n", float64(s.by[q])/float64(promotions), text[:min(160, len(text))])
	}
}

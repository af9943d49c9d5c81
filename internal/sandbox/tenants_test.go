package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// tenants are a program without a network that serves several organizations: acme, to which GitHub answers fast, and
// others, to which it may be slow. All follow the time of package time, which may be that of a bubble.
type tenants struct {
	testing.TB
	ctx     context.Context
	github  *githubsim.Server
	service *app.Service
	stop    func() // ends the service
	file    string // of its database
	wire    *tardy
	slow    []string // repositories
	merged  int      // pull requests of acme
}

// tardy answers requests after a while, which is longer for slow installations: for their tokens, and for what is asked
// for with them.
type tardy struct {
	github *githubsim.Server
	fast   time.Duration

	mu   sync.Mutex
	slow map[string]bool // by path, "/api/v3/app/installations/7/access_tokens", and by authorization
	late time.Duration   // 0: nobody is slow yet
	now  int             // slow requests under way
	done int             // slow requests that were answered
}

// RoundTrip implements http.RoundTripper.
func (t *tardy) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	wait, slow := t.fast, t.slow[r.URL.Path] || t.slow[r.Header.Get("Authorization")]
	late := slow && t.late > 0
	if late {
		wait = t.late
		t.now++
	}
	t.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-r.Context().Done():
	}
	if late {
		t.mu.Lock()
		t.now--
		t.done++
		t.mu.Unlock()
	}
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	answer, err := t.github.RoundTrip(r)
	if err == nil && slow && strings.HasSuffix(r.URL.Path, "/access_tokens") {
		err = t.learn(answer)
	}
	return answer, err
}

// learn notes the token of a slow installation.
func (t *tardy) learn(answer *http.Response) error {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var said struct{ Token string }
	if err := json.Unmarshal(body, &said); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slow["token "+said.Token] = true
	return nil
}

// slowness returns how many slow requests are under way and how many were answered.
func (t *tardy) slowness() (now, done int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now, t.done
}

// newTenants starts the program for acme and other organizations with some repositories each, and returns when all
// pipelines are resynced. From then on GitHub answers each request after a time.
func newTenants(t testing.TB, ctx context.Context, others, repos int, fast time.Duration) *tenants {
	t.Helper()
	key, err := shortKey()
	require.NoError(t, err)
	github, err := githubsim.Start(githubsim.Options{
		Clock: time.Now, AuthClock: time.Now, Unchecked: true, Offline: true, RateLimit: 1_000_000,
		App: githubsim.App{PrivateKey: key},
	})
	require.NoError(t, err)
	s := &tenants{TB: t, ctx: ctx, github: github, wire: &tardy{github: github, slow: map[string]bool{}}}
	require.NoError(t, github.CreateOrg("acme"))
	require.NoError(t, github.CreateUser("ann", "acme"))
	s.install(home)
	for n := range others {
		owner := fmt.Sprint("slow", n)
		require.NoError(t, github.CreateOrg(owner))
		var all []string
		for i := range repos {
			all = append(all, fmt.Sprintf("%s/deploy%d", owner, i))
		}
		s.slow = append(s.slow, all...)
		path := fmt.Sprintf("/api/v3/app/installations/%d/access_tokens", s.install(all...))
		s.wire.slow[path] = true
	}
	s.file = filepath.Join(t.TempDir(), "waybill.db")
	s.start()
	t.Cleanup(func() {
		s.stop()
		require.NoError(t, github.Close())
	})
	s.until("all pipelines are known", func() bool {
		return s.resynced() == 1+len(s.slow)
	})
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.fast = fast
	return s
}

// start starts the program on its file. It is cut off by stop, as if it had been killed.
func (s *tenants) start() {
	s.Helper()
	c := settings(s.github, s.file)
	c.PublicURL = offlineURL
	c.Content = ample
	service, err := app.NewService(s.ctx, c, app.World{Clock: time.Now, Steady: time.Now, Wire: s.wire, Grace: -1})
	require.NoError(s, err)
	s.service = service
	s.github.SetWebhookURL(offlineURL + "/api/github/hook")
	var working sync.WaitGroup
	ctx, cancel := context.WithCancel(s.ctx)
	working.Go(func() { _ = service.App.Run(ctx) }) // being stopped is no error
	working.Go(func() { s.post(ctx) })
	s.stop = func() {
		s.Helper()
		cancel()
		working.Wait()
		require.NoError(s, service.Close())
	}
}

// install creates repositories with pipelines, and the App in their organization.
func (s *tenants) install(repos ...string) (installation int64) {
	s.Helper()
	for _, repo := range repos {
		require.NoError(s, s.github.CreateRepo(repo, map[string]string{
			config.PipelinePath: oneStage, config.PolicyPath: "version: 1\nautomatic: [\"*\"]\n", "dev.yaml": "tag: none\n",
		}))
		require.NoError(s, s.github.SetPermission(repo, "ann", "write"))
	}
	owner, _, _ := strings.Cut(repos[0], "/")
	installation, err := s.github.InstallApp(owner, repos...)
	require.NoError(s, err)
	return installation
}

// post sends webhooks as soon as they are there.
func (s *tenants) post(ctx context.Context) {
	for ctx.Err() == nil {
		for _, d := range s.github.Waiting() {
			s.github.Post(d.ID, s.service.Handler())
		}
		time.Sleep(time.Millisecond)
	}
}

// resynced counts the pipelines that have been resynced.
func (s *tenants) resynced() (n int) {
	rows, err := s.service.App.Rows(s.ctx)
	require.NoError(s, err)
	for _, row := range rows {
		if !row.Resynced.IsZero() {
			n++
		}
	}
	return n
}

// until polls a condition.
func (s *tenants) until(what string, so func() bool) {
	s.Helper()
	for begun := time.Now(); !so(); time.Sleep(time.Millisecond) {
		require.Less(s, time.Since(begun), 10*time.Minute, what)
	}
}

// slowDown has GitHub answer all but acme after a time, gives all of them more work than there is room for, and returns
// when the program waits for each.
func (s *tenants) slowDown(late time.Duration) {
	s.Helper()
	s.wire.mu.Lock()
	s.wire.late = late
	s.wire.mu.Unlock()
	for _, repo := range s.slow {
		n := s.merge(repo, 1)
		for range 20 {
			_, err := s.github.Comment(repo, n, "ann", "/status")
			require.NoError(s, err)
		}
	}
	require.NoError(s, s.service.Store.Update(s.ctx, func(tx *store.Tx) error {
		for _, repo := range s.slow {
			row, err := tx.Pipelines.ByRepo(promotion.Repo(repo))
			if err != nil {
				return err
			}
			if err := tx.Clocks.AskResync(row.ID); err != nil {
				return err
			}
		}
		return nil
	}))
	s.service.App.WakeAll()
	time.Sleep(2 * time.Second)
	now, _ := s.wire.slowness()
	require.GreaterOrEqual(s, now, len(s.slow), "each waits for GitHub")
}

// merge merges pull request n of a repository.
func (s *tenants) merge(repo string, n int) int {
	s.Helper()
	file := githubsim.Text(fmt.Sprintf("package main // %d\n", n))
	number, err := s.github.OpenPull(repo, githubsim.PullSpec{
		Title: "A change", Head: fmt.Sprint("change-", n), Author: "ann", Files: map[string]*string{"src/main.go": file},
	})
	require.NoError(s, err)
	_, err = s.github.MergePull(repo, number, "ann", "squash")
	require.NoError(s, err)
	return number
}

// serve merges a pull request of acme and asks for the status. It returns how long the pull request of the promotion
// and the answer took, and leaves the stage verified.
func (s *tenants) serve() (opened, answered time.Duration) {
	s.Helper()
	before := len(promotionPulls(s.github, home))
	s.merged++
	begun := time.Now()
	number := s.merge(home, s.merged)
	s.until("its pull request is there", func() bool { return len(promotionPulls(s.github, home)) > before })
	opened = time.Since(begun)

	begun = time.Now()
	_, err := s.github.Comment(home, number, "ann", "/status")
	require.NoError(s, err)
	s.until("the command is answered", func() bool {
		for _, c := range s.github.Comments(home, number) {
			if c.Author == "waybill[bot]" && !isSticky(c) {
				return true
			}
		}
		return false
	})
	answered = time.Since(begun)
	s.until("it is merged", func() bool {
		return !strings.Contains(strings.Join(promotionPulls(s.github, home), " "), ": open")
	})
	_, err = s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: "smoke", SHA: s.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "success"})
	require.NoError(s, err)
	time.Sleep(2 * time.Second)
	return opened, answered
}

// promoteOn merges a pull request of a repository, waits until its freight is promoted, reports that it is good, and
// begins again, until it is over.
func promoteOn(github *githubsim.Server, repo string, promoted *atomic.Int64, over <-chan struct{}) error {
	for n := 1; ; n++ {
		file := githubsim.Text(fmt.Sprintf("package main // %d\n", n))
		number, err := github.OpenPull(repo, githubsim.PullSpec{
			Title: "A change", Head: fmt.Sprint("change-", n), Author: "ann", Files: map[string]*string{"src/main.go": file},
		})
		if err != nil {
			return err
		}
		sha, err := github.MergePull(repo, number, "ann", "squash")
		if err != nil {
			return err
		}
		for head := ""; ; time.Sleep(20 * time.Millisecond) {
			select {
			case <-over:
				return nil
			default:
			}
			if now := github.Head(repo, "main"); now != head {
				head = now
				if text, _ := github.File(repo, head, "dev.yaml"); strings.Contains(text, sha[:7]) {
					break
				}
			}
		}
		_, err = github.CreateCheckRun(repo, githubsim.CheckSpec{
			Name: "smoke", SHA: github.Head(repo, "main"), Suite: "ci", Branch: "main", Conclusion: "success"})
		if err != nil {
			return err
		}
		promoted.Add(1)
	}
}

// TestAnInstallationPromotesTwiceASecondWhileGitHubTakes400ms in eight repositories: as many requests as may be under
// way for an installation are enough for twenty promotions a second of ten installations. Time is that of a bubble.
func TestAnInstallationPromotesTwiceASecondWhileGitHubTakes400ms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTenants(t, zerolog.Nop().WithContext(t.Context()), 1, 8, 400*time.Millisecond)
		var promoted atomic.Int64
		over := make(chan struct{})
		var all sync.WaitGroup
		for _, repo := range s.slow {
			all.Go(func() { assert.NoError(t, promoteOn(s.github, repo, &promoted, over)) })
		}
		s.until("they have begun", func() bool { return promoted.Load() >= 8 })
		begun := time.Now()
		s.until("sixty more are promoted", func() bool { return promoted.Load() >= 68 })
		took := time.Since(begun)
		close(over)
		all.Wait()
		t.Logf("60 promotions in %v", took)
		require.LessOrEqual(t, took, 30*time.Second)
	})
}

// TestSixSlowInstallationsDelayNoFastOneF28 has GitHub answer one installation after 400 ms, and six others, of which
// each has more work than may be under way at a time, after 25 s. The first pull request of a release and the answer to
// a command come as soon as they do alone. Time is that of a bubble: it passes only while all wait.
func TestSixSlowInstallationsDelayNoFastOneF28(t *testing.T) {
	var opened, answered [2]time.Duration
	for i, slow := range []int{0, 6} {
		synctest.Test(t, func(t *testing.T) {
			s := newTenants(t, zerolog.Nop().WithContext(t.Context()), slow, 4, 400*time.Millisecond)
			s.slowDown(25 * time.Second)
			opened[i], answered[i] = s.serve()
		})
	}
	t.Logf("opened after %v, answered after %v", opened, answered)
	require.InDelta(t, opened[0], opened[1], float64(20*time.Millisecond))
	require.InDelta(t, answered[0], answered[1], float64(20*time.Millisecond))
}

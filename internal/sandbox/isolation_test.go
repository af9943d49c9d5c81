package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// silence delays the answers to requests about owners or repositories named slow until it is over.
type silence struct {
	next    http.RoundTripper
	over    chan struct{}
	waiting *atomic.Int64 // the number of delayed requests
}

// RoundTrip implements http.RoundTripper. It ignores the deadline of a request.
func (s silence) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if strings.Contains(r.URL.Path, "/slow") || bytes.Contains(body, []byte(`"slow`)) {
		s.waiting.Add(1)
		<-s.over
	}
	return s.next.RoundTrip(r)
}

// TestWhatGitHubDoesNotAnswerDelaysNobodyElse has a merge, three commands and a resync wait for GitHub in each of
// several repositories. These have installations of their own, or share one with the home repository. Meanwhile Waybill
// promotes a merge, answers a command and runs a resync in the home repository. When GitHub answers at last, all work
// ends.
func TestWhatGitHubDoesNotAnswerDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		slow    int
		repo    string // the format of their names
		workers app.Workers
	}{
		"six installations": {6, "slow%d/deploy", app.Workers{}},
		"as many as there is room for": {
			15, "slow%d/deploy", app.Workers{Intake: 16, Effects: 16, Views: 16, Resyncs: 16},
		},
		"a repository of the installation": {1, "acme/slow%d", app.Workers{}},
		"some of the installation":         {3, "acme/slow%d", app.Workers{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			var slow []string
			for n := range c.slow {
				slow = append(slow, fmt.Sprintf(c.repo, n))
				s.homeOf(slow[n])
			}
			s.quiet()
			gate := silence{s.wire.next, make(chan struct{}), new(atomic.Int64)}
			answer := sync.OnceFunc(func() { close(gate.over) })
			defer answer()
			s.wire.next, s.workers = gate, c.workers
			require.NoError(t, s.restart(s.ctx))
			for _, repo := range slow {
				s.busy(repo)
			}
			s.resyncAll()
			s.until("the slow ones are waited for", func() bool { return gate.waiting.Load() >= int64(c.slow) })

			require.NoError(t, s.happen(s.ctx, s.parsed("merge #1 by ann")))
			s.until("it is promoted", func() bool { return slices.Equal(s.states("dev"), []string{"p1 api#1 dev verifying"}) })
			require.NoError(t, s.happen(s.ctx, s.parsed("check smoke success on dev")))
			require.NoError(t, s.happen(s.ctx, s.parsed("comment #1 by ann: /status")))
			s.until("it is verified", func() bool { return slices.Equal(s.states("dev"), []string{"p1 api#1 dev succeeded"}) })
			s.until("its command is answered", func() bool { return len(s.told(1)) > 0 })
			s.until("it is shown", func() bool { return len(s.github.CheckRuns(home, s.mergedPull(1))) > 0 })
			before := s.of(story.Home).row.Resynced
			s.clock.set(s.clock.Now().Add(time.Minute))
			s.resyncAll()
			s.until("it is resynced", func() bool { return s.of(story.Home).row.Resynced.After(before) })

			answer()
			s.quiet()
			for _, repo := range slow {
				require.Equal(t, promotion.Verifying, s.of(promotion.Repo(repo)).state(), repo)
			}
		})
	}
}

// homeOf creates a repository with a pipeline, and an organization with the App if it needs one.
func (s *site) homeOf(repo string) {
	s.t.Helper()
	owner := ownerOf(promotion.Repo(repo))
	files := map[string]string{
		config.PipelinePath: oneStage, config.PolicyPath: "version: 1\nautomatic: [\"*\"]\n", "dev.yaml": "tag: none\n",
	}
	if owner == ownerOf(story.Home) {
		require.NoError(s.t, s.github.CreateRepo(repo, files))
		require.NoError(s.t, s.github.ReachRepo(repo, true))
		return
	}
	require.NoError(s.t, s.github.CreateOrg(owner))
	require.NoError(s.t, s.github.CreateRepo(repo, files))
	_, err := s.github.InstallApp(owner, repo)
	require.NoError(s.t, err)
}

// busy merges a pull request, writes commands in a repository, and returns when Waybill has the webhooks.
func (s *site) busy(repo string) {
	s.t.Helper()
	require.NoError(s.t, s.meet("ann"))
	require.NoError(s.t, s.github.SetPermission(repo, "ann", "write"))
	n, err := s.github.OpenPull(repo, githubsim.PullSpec{
		Number: 1, Title: "Change", Head: "change", Author: "ann", Files: map[string]*string{"src/a": githubsim.Text("a\n")},
	})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(repo, n, "ann", "squash")
	require.NoError(s.t, err)
	for range 3 {
		_, err := s.github.Comment(repo, n, "ann", "/status")
		require.NoError(s.t, err)
	}
	require.NoError(s.t, s.github.Settle(s.ctx))
}

// resyncAll makes the resync of every pipeline due.
func (s *site) resyncAll() {
	s.t.Helper()
	rows, err := s.program.Rows(s.ctx)
	require.NoError(s.t, err)
	require.NoError(s.t, s.program.store.Update(s.ctx, func(tx *store.Tx) error {
		for _, row := range rows {
			if err := tx.Clocks.AskResync(row.ID); err != nil {
				return err
			}
		}
		return nil
	}))
	s.program.WakeAll()
}

// mergedPull returns the merge commit of a pull request.
func (s *site) mergedPull(n int) string {
	p, _ := s.github.Pull(home, n)
	return p.MergeSHA
}

// parsed returns a happening from the notation of stories.
func (s *site) parsed(happening string) story.Happening {
	s.t.Helper()
	parsed, err := story.Parse(happening, []byte("-- story --\n> "+happening+"\n"))
	require.NoError(s.t, err)
	return parsed.Steps[0].Happening
}

// until polls a condition. Its limit measures nothing and is only shorter than that of the whole test run.
func (s *site) until(what string, so func() bool) {
	s.t.Helper()
	patience, cancel := context.WithTimeout(s.ctx, 3*time.Minute)
	defer cancel()
	for !so() {
		select {
		case <-patience.Done():
			require.Fail(s.t, "never: "+what)
		case <-time.After(time.Millisecond):
		}
	}
}

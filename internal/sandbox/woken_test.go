package sandbox

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// atOnce has a program that has nothing to do meet something at several moments between two looks of its workers, and
// requires that it is done by the time that the requests to GitHub take. Time is that of a bubble.
func atOnce(t *testing.T, what string, do func(s *tenants, n int) (done func() bool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newTenants(t, zerolog.Nop().WithContext(t.Context()), 0, 0, time.Millisecond)
		for n := range 4 {
			time.Sleep(10*time.Second + time.Duration(n)*230*time.Millisecond)
			done := do(s, n)
			begun := time.Now()
			s.until(what, done)
			require.Less(t, time.Since(begun), 150*time.Millisecond, what)
		}
		time.Sleep(time.Minute) // a client of HTTP keeps an answer that is an error until it would have been late
	})
}

// TestWhatADeliveryLeavesToShowIsShownAtOnce: nothing is decided about pipeline files that are proposed.
func TestWhatADeliveryLeavesToShowIsShownAtOnce(t *testing.T) {
	t.Parallel()
	atOnce(t, "the files are checked", func(s *tenants, n int) func() bool {
		number, err := s.github.OpenPull(home, githubsim.PullSpec{
			Title: "Configure", Head: fmt.Sprint("configure-", n), Author: "ann",
			Files: map[string]*string{config.PipelinePath: githubsim.Text(fmt.Sprint(oneStage, "# ", n, "\n"))},
		})
		require.NoError(s, err)
		p, _ := s.github.Pull(home, number)
		return func() bool { return len(s.github.CheckRuns(home, p.HeadSHA)) > 0 }
	})
}

// TestAResyncThatADeliveryAsksForBeginsAtOnce: nothing is decided when the App has access again.
func TestAResyncThatADeliveryAsksForBeginsAtOnce(t *testing.T) {
	t.Parallel()
	first := githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}"}
	atOnce(t, "its resync has begun", func(s *tenants, _ int) func() bool {
		require.NoError(s, s.github.SuspendApp("acme", true))
		time.Sleep(10 * time.Second)
		require.NoError(s, s.github.SuspendApp("acme", false))
		before := s.github.CountRequests(first)
		return func() bool { return s.github.CountRequests(first) > before }
	})
}

// TestWhatAResyncFindsThatFailsIsDecidedAtOnce: it keeps the facts that it has read.
func TestWhatAResyncFindsThatFailsIsDecidedAtOnce(t *testing.T) {
	t.Parallel()
	suites := githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/commits/{ref}/check-suites"}
	atOnce(t, "the freight is queued", func(s *tenants, n int) func() bool {
		s.merge(home, n+1)
		for _, d := range s.github.Waiting() {
			s.github.Lose(d.ID)
		}
		s.github.Faults().FailNext(suites, githubsim.Fault{Status: http.StatusInternalServerError})
		var home store.PipelineRow
		require.NoError(s, s.service.Store.Update(s.ctx, func(tx *store.Tx) (err error) {
			if home, err = tx.Pipelines.ByRepo(story.Home); err != nil {
				return err
			}
			return tx.Clocks.AskResync(home.ID)
		}))
		s.service.App.Overdue.Notify()
		return func() bool {
			var all []promotion.Promotion
			require.NoError(s, s.service.Store.View(s.ctx, func(tx *store.Tx) (err error) {
				all, err = tx.Promotions.Latest(store.StageKey{Pipeline: home.ID, Stage: "dev"}, 0, 100)
				return err
			}))
			return len(all) > n
		}
	})
}

package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/store"
)

var (
	listed      = githubsim.Route{Method: http.MethodGet, Path: "/app/hook/deliveries"}
	redelivered = githubsim.Route{Method: http.MethodPost, Path: "/app/hook/deliveries/{delivery_id}/attempts"}
	// discovered is the first request of a resync of all pipelines. If it fails, only a sweep finds missed deliveries.
	discovered = githubsim.Route{Method: http.MethodGet, Path: "/installation/repositories"}
)

// away kills the program.
func (s *site) away() {
	s.t.Helper()
	require.NoError(s.t, s.program.kill())
}

// back starts the program again after a while. GitHub fails its resyncs, so that only a sweep can catch up.
func (s *site) back(after time.Duration) {
	s.t.Helper()
	s.clock.set(s.clock.Now().Add(after))
	s.github.Faults().FailNext(discovered, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	require.NoError(s.t, s.restart(s.ctx))
	s.quiet()
}

// unheard makes something happen at GitHub while every webhook about it fails.
func (s *site) unheard(happens func() error) {
	s.t.Helper()
	s.github.FailWebhooks(20, http.StatusBadGateway)
	require.NoError(s.t, happens())
	require.Error(s.t, s.github.Settle(s.ctx))
	s.github.HearWebhooks()
}

// merge returns a function that merges a source pull request.
func (s *site) merge(n int) func() error {
	return func() error {
		return s.happen(s.ctx, story.Happening{Kind: story.Merge, Pull: story.Pull{Number: n}, By: "ann"})
	}
}

// status returns a function that reports a commit status which no stage waits for.
func (s *site) status(repo string) func() error {
	return func() error { return s.github.CreateStatus(repo, "main", "admin", "ci", "success", "") }
}

// asks counts the requests for a redelivery.
func (s *site) asks() int { return s.github.CountRequests(redelivered) }

// missed lists the deliveries that the store still records as missed.
func (s *site) missed() (all []store.Missed) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Inbox.MissedBefore(tx.Now.Add(time.Hour))
		return err
	}))
	return all
}

// TestWhatWasRefusedWhileTheProgramWasDownIsRedeliveredF4 merges a source pull request and passes a promotion's check
// while the program is down.
func TestWhatWasRefusedWhileTheProgramWasDownIsRedeliveredF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	merge := s.promoted(1).MergeSHA
	s.away()
	s.unheard(func() error {
		_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
			Name: "smoke", SHA: string(merge), Suite: "ci", Branch: "main", Conclusion: "success",
		})
		return err
	})
	s.unheard(s.merge(2))
	s.back(time.Hour)
	s.do("wait 1m")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
	asked := s.asks()
	require.Positive(t, asked)

	s.do("wait 1h")
	require.Equal(t, asked, s.asks(), "what was taken is not asked for again")
	require.Empty(t, s.missed())
}

func TestMoreThanAPageOfMissedDeliveriesIsRedeliveredF4F44(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.away()
	s.github.FailWebhooks(230, http.StatusBadGateway)
	for i := range 230 {
		require.NoError(t, s.github.CreateStatus(home, "main", "admin", fmt.Sprint("ci/", i), "success", ""))
	}
	require.Error(t, s.github.Settle(s.ctx))
	s.github.ForgetRequests()
	s.back(time.Hour)
	require.Equal(t, 3, s.github.CountRequests(listed), "three pages")
	s.do("wait 229s")
	require.Equal(t, 230, s.asks())
	s.do("wait 10m")
	require.Empty(t, s.missed())
}

// TestAnIdleSweepIsOneRequestThatMostlyCostsNothingF4 sweeps for an hour in which nothing happens. It costs nothing
// where an ETag is of use to another token: the App signs each of these requests anew.
func TestAnIdleSweepIsOneRequestThatMostlyCostsNothingF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.Behave(1)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 10m")
	s.github.ForgetRequests()
	s.do("wait 1h")
	require.Equal(t, 6, s.github.CountRequests(listed))
	require.Empty(t, withoutUpkeep(s.github.Requests()))
	for _, r := range s.github.Requests() {
		require.Equal(t, http.StatusNotModified, r.Status, r.Path)
	}
}

// TestARedeliveryThatIsRefusedAgainIsAskedForLaterF4 fails every redelivery. Waybill asks again 15, 45 and 105 minutes
// later, not with every sweep.
func TestARedeliveryThatIsRefusedAgainIsAskedForLaterF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.unheard(s.status(home))
	s.github.FailWebhooks(100, http.StatusBadGateway)
	s.lasts("wait 2h")
	require.Equal(t, 4, s.asks(), "at once, and 15, 45 and 105 minutes later")
	s.github.HearWebhooks()
	s.do("wait 3h")
	require.Equal(t, 5, s.asks(), "that one was taken")
	require.Empty(t, s.missed())
}

// TestARedeliveryThatNobodyLivedToTakeIsAskedForAfterARestartF4 fails the redelivery, as when the process is just
// ending. After a restart, Waybill asks again without waiting for the backoff.
func TestARedeliveryThatNobodyLivedToTakeIsAskedForAfterARestartF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.unheard(s.merge(1))
	s.github.FailWebhooks(100, http.StatusBadGateway)
	s.lasts("wait 11m")
	require.Positive(t, s.asks())
	s.away()
	s.github.HearWebhooks()
	s.back(time.Minute)
	s.do("wait 10s")
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	s.do("wait 10m")
	require.Empty(t, s.missed())
}

// TestWhatWasMissedIsToldInTheOrderInWhichItHappenedF4 has two merges missed. The process ends when it has asked for
// the first one only, without success. If the second merge arrived first, the older freight would be passed over.
func TestWhatWasMissedIsToldInTheOrderInWhichItHappenedF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "[smoke]", "[smoke], queue: fifo", 1))
	s.unheard(s.merge(1))
	first := len(s.github.Deliveries())
	s.unheard(s.merge(2))
	s.github.FailWebhooks(1000, http.StatusBadGateway)
	s.lasts("wait 10m")
	for s.asks() < 3 {
		s.lasts("wait 1s")
	}
	require.Less(t, s.asks(), first, "the second has not been asked for")
	s.away()
	s.github.HearWebhooks()
	s.back(time.Minute)
	s.do("wait 1m")
	require.Equal(t, []string{"p1 api#1 dev verifying", "p2 api#2 dev queued"}, s.states("dev"))
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
}

// lasts lets time pass while webhooks fail.
func (s *site) lasts(wait string) {
	s.t.Helper()
	parsed, err := story.Parse(wait, []byte("-- story --\n> "+wait+"\n"))
	require.NoError(s.t, err)
	end := s.Now().Add(parsed.Steps[0].Happening.For)
	for s.Now().Before(end) {
		_ = s.github.Settle(s.ctx)
		next, err := s.program.rest(s.ctx)
		require.NoError(s.t, err)
		_ = s.github.Settle(s.ctx)
		if next.IsZero() || next.After(end) {
			next = end
		}
		s.clock.set(next)
		s.program.WakeAll()
	}
	_, err = s.program.rest(s.ctx)
	require.NoError(s.t, err)
	_ = s.github.Settle(s.ctx)
}

// TestWhatGitHubForgetsIsMadeUpForByAResyncF4 has a status undelivered for longer than GitHub offers redelivery. The
// resync that makes up for it finds a merge, too. The regular resync would come later still.
func TestWhatGitHubForgetsIsMadeUpForByAResyncF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+"resync: 168h\n")
	s.deaf(s.merge(1))
	s.unheard(s.status(home))
	s.github.FailWebhooks(1000, http.StatusBadGateway)
	s.lasts("wait 71h")
	require.NotEmpty(t, s.missed())
	require.Empty(t, s.states("dev"))
	s.lasts("wait 2h")
	require.Len(t, s.states("dev"), 1)
}

// resyncDue returns the time at which the pipeline's next resync is due.
func (s *site) resyncDue() (due time.Time) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		row, err := tx.Pipelines.ByID(pipeline)
		due = row.ResyncDue
		return err
	})
	return due
}

// TestWhatGitHubWillNotRedeliverIsMadeUpForByAResyncF4 has GitHub refuse a redelivery.
func TestWhatGitHubWillNotRedeliverIsMadeUpForByAResyncF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.unheard(s.status(home))
	before := s.resyncDue()
	s.github.Faults().FailNext(redelivered, githubsim.Fault{Status: http.StatusUnprocessableEntity})
	s.do("wait 10m")
	require.NotEqual(t, before, s.resyncDue())
	require.Empty(t, s.missed())
}

// TestWhatCannotBeMadeUpForNowIsMadeUpForLaterF4 has GitHub refuse to redeliver an event of a repository that no
// pipeline names. The discovery of pipelines that follows fails for a while, too.
func TestWhatCannotBeMadeUpForNowIsMadeUpForLaterF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	require.NoError(t, s.github.CreateRepo("acme/plain", map[string]string{"README.md": "x"}))
	require.NoError(t, s.github.ReachRepo("acme/plain", true))
	s.quiet()
	s.unheard(s.status("acme/plain"))
	s.github.Faults().FailNext(redelivered, githubsim.Fault{Status: http.StatusUnprocessableEntity, Times: -1})
	s.github.Faults().FailNext(discovered, githubsim.Fault{Status: http.StatusBadGateway, Times: 4})
	before := s.discovery()
	s.do("wait 10m")
	require.Empty(t, s.missed())
	require.NotEmpty(t, s.discovery().Error)
	s.do("wait 1h")
	require.Empty(t, s.discovery().Error)
	require.True(t, s.discovery().Done.After(before.Done))
}

// discovery returns the clock of the look for pipelines.
func (s *site) discovery() (c store.Clock) {
	s.view(func(tx *store.Tx, _ int64) (err error) {
		c, err = tx.Clocks.Clock(store.ClockDiscovery)
		return err
	})
	return c
}

// TestWhatIsInTheInboxIsNotAskedForF4 stores a webhook whose delivery GitHub records as failed.
func TestWhatIsInTheInboxIsNotAskedForF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.unheard(s.status(home))
	all := s.github.Deliveries()
	last := all[len(all)-1]
	_, err := s.program.store.Accept(context.Background(),
		store.Delivery{Source: "github", GUID: last.GUID, Event: last.Event, Body: last.Payload})
	require.NoError(t, err)
	s.do("wait 1h")
	require.Zero(t, s.asks())
}

// TestOnlyWhatTellsUsSomethingIsRedeliveredF4 misses an irrelevant event, and one of an account that has uninstalled
// the App.
func TestOnlyWhatTellsUsSomethingIsRedeliveredF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.addOther()
	s.do("merge #1 by ann")
	s.unheard(func() error {
		_, err := s.github.CreateDeployment(home, "main", "ann", "elsewhere")
		return err
	})
	s.unheard(s.status(other))
	require.NoError(t, s.github.UninstallApp("other"))
	s.do("wait 1h")
	require.Zero(t, s.asks())
}

// TestASweepThatFailsIsTriedAgainF4 has GitHub fail the request for the list of deliveries.
func TestASweepThatFailsIsTriedAgainF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.unheard(s.status(home))
	s.github.Faults().FailNext(listed, githubsim.Fault{Status: http.StatusBadGateway, Times: 3})
	s.do("wait 11m")
	require.Equal(t, 1, s.asks())
	require.Empty(t, s.github.Faults().Pending())
}

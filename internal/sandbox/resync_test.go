package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/store"
)

// pipelineRow returns the row of the pipeline under test.
func (s *site) pipelineRow() (row store.PipelineRow) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) (err error) {
		row, err = tx.Pipelines.ByID(pipeline)
		return err
	})
	return row
}

// deaf runs act and loses all webhooks about it.
func (s *site) deaf(act func() error) {
	s.t.Helper()
	s.github.LoseWebhooks(true)
	require.NoError(s.t, act())
	require.NoError(s.t, s.github.Settle(s.ctx))
	s.github.ForgetLost()
	s.github.LoseWebhooks(false)
}

// TestAProcessThatIsRestartedAllTheTimeResyncsInTimeR2F25 restarts every 9 hours and 59 minutes for a week.
func TestAProcessThatIsRestartedAllTheTimeResyncsInTimeR2F25(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	for range 17 {
		s.do("wait 9h59m", "restart")
		require.Less(t, s.Now().Sub(s.pipelineRow().Resynced), 10*time.Hour)
	}
}

// TestARestartAsksForNothingThatIsKnownF24 restarts with ended promotions and an active one. Waybill asks GitHub for
// the App, what it may do, and failed deliveries only.
func TestARestartAsksForNothingThatIsKnownF24(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	for n := range 10 {
		s.do(fmt.Sprintf("merge #%d by ann", n+1), "check smoke success on dev")
	}
	s.do("merge #11 by ann")
	before := s.pipelineRow()
	s.github.ForgetRequests()
	s.do("restart")
	require.Empty(t, withoutUpkeep(s.github.Requests()))
	require.Equal(t, before, s.pipelineRow(), "the clock of the resync goes on")
}

// TestARegularResyncComesAnIntervalAfterTheLastOneWhoeverAskedForItF26 requests a resync by hand in between.
func TestARegularResyncComesAnIntervalAfterTheLastOneWhoeverAskedForItF26(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("wait 8h", "resync")
	by := s.pipelineRow().Resynced
	require.Equal(t, s.Now(), by)
	s.do("wait 9h")
	require.Equal(t, by, s.pipelineRow().Resynced)
	s.do("wait 1h")
	require.Greater(t, s.pipelineRow().Resynced, by)
}

// TestARegularResyncFindsWhatNobodyToldOfF4R1 loses every webhook. The resync finds the freight, the merge and the
// check run.
func TestARegularResyncFindsWhatNobodyToldOfF4R1(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "verify: [{check: smoke, appear: 40h, timeout: 80h}]", 1))
	s.github.LoseWebhooks(true)
	s.do("merge #1 by ann", "wait 10h", "check smoke success on dev", "wait 10h")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestAResyncLiftsNoHoldAndRetriesNothingF27R5 runs a week of resyncs.
func TestAResyncLiftsNoHoldAndRetriesNothingF27R5(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev", "comment #1 by ann: /hold dev", "merge #2 by ann", "wait 168h")
	require.Equal(t, []string{"p1 api#1 dev verification-failed", "p2 api#2 dev queued"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

// TestAResyncDuringAPromotionMakesNoSecondAttemptR3 runs resyncs while a pull request waits for a person.
func TestAResyncDuringAPromotionMakesNoSecondAttemptR3(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "merge: manual", 1)+"resync: 1m\n")
	s.do("merge #1 by ann", "wait 1h")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	s.do("merge p1 by bob", "wait 1h")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

// TestAResyncThatFailsBacksOffAndSaysSoF28 has GitHub fail requests for the repository for half a day.
func TestAResyncThatFailsBacksOffAndSaysSoF28(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	head := githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}"}
	s.github.Faults().FailNext(head, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("wait 10h")
	s.github.ForgetRequests()
	s.do("wait 12h")
	asked := s.github.CountRequests(head)
	require.LessOrEqual(t, asked, 13, "once an hour")
	require.GreaterOrEqual(t, asked, 11)
	row := s.pipelineRow()
	require.Greater(t, row.ResyncFailures, asked)
	require.Contains(t, row.ResyncError, "Bad Gateway")
	s.github.Faults().Clear()
	s.do("wait 1h")
	require.Zero(t, s.pipelineRow().ResyncFailures)
	require.Empty(t, s.pipelineRow().ResyncError)
}

// TestAPipelineFileThatIsGoneEndsWhatIsOpenF31 deletes it, without a webhook, while a pull request is open.
func TestAPipelineFileThatIsGoneEndsWhatIsOpenF31(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "merge: manual", 1))
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to dev: open"}, s.ours())
	s.deaf(func() error {
		_, err := s.github.PushFiles(home, "main", "ann", "No more promotions", map[string]*string{config.PipelinePath: nil})
		return err
	})
	s.do("wait 10h")
	require.Equal(t, []string{"Promote api#1 to dev: closed"}, s.ours())
	require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
}

// TestAPipelineThatNobodyToldOfIsDiscovered creates a repository with a pipeline file without a webhook.
func TestAPipelineThatNobodyToldOfIsDiscovered(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.deaf(func() error {
		if err := s.github.CreateRepo("acme/other", map[string]string{
			config.PipelinePath: oneStage, "dev.yaml": "tag: none\n",
		}); err != nil {
			return err
		}
		return s.github.ReachRepo("acme/other", true)
	})
	s.do("wait 10h")
	require.NoError(t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		rows, err := tx.Pipelines.All()
		require.Len(t, rows, 2)
		require.NotZero(t, rows[1].Resynced)
		return err
	}))
}

// TestAnUnchangedResyncOfAHundredStagesCostsAtMostTenRequests counts them (docs/cases.md way 8), answered with 304 or
// not: ETags belong to a token, which lasts an hour, and from one resync to the next it is ten.
func TestAnUnchangedResyncOfAHundredStagesCostsAtMostTenRequests(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("version: 1\nwarehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\nstages:\n")
	for n := range 100 {
		fmt.Fprintf(&file, "  s%d: {from: api, set: {s%d.yaml: {tag: \"${api.short}\"}}}\n", n, n)
	}
	s := newSite(t, file.String())
	s.do("merge #1 by ann", "wait 1h", "resync", "resync") // pull requests per minute are limited
	s.github.ForgetRequests()
	wrote := s.changes()
	s.do("wait 10h")
	var asked []string
	for _, r := range s.github.Requests() {
		if strings.HasSuffix(r.Route, "/access_tokens") || strings.HasPrefix(r.Route, "/app") {
			continue // the sweep runs on its own schedule
		}
		asked = append(asked, fmt.Sprint(r.Method, " ", r.Path, " ", r.Status))
	}
	require.NotEmpty(t, asked)
	require.LessOrEqual(t, len(asked), 10, strings.Join(asked[:min(len(asked), 20)], "\n"))
	require.Equal(t, wrote, s.changes(), "it writes nothing")
}

// changes counts the pipeline's events in the audit trail.
func (s *site) changes() (n int) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		events, err := tx.Audit.Events(pipeline, 0, 10_000)
		n = len(events)
		return err
	})
	return n
}

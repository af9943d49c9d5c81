package sandbox

import (
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// permission is the request for the permission of a person who has given a command.
var permission = githubsim.Route{
	Method: http.MethodGet, Path: "/repos/{owner}/{repo}/collaborators/{username}/permission",
}

// TestADeliveryThatKillsTheProcessIsParkedAfterFiveDeathsF28 kills the real process whenever it handles one delivery.
// The deliveries of another repository are handled, and the delivery waits for a person.
func TestADeliveryThatKillsTheProcessIsParkedAfterFiveDeathsF28(t *testing.T) {
	t.Parallel()
	const other = "acme/other"
	h := newHunt(t, rand.New(rand.NewPCG(1, 0)))
	require.NoError(t, h.github.CreateRepo(other, nil))
	require.NoError(t, h.github.ReachRepo(other, true))
	n, err := h.github.OpenPull(home, githubsim.PullSpec{
		Title: "Change", Head: "change", Author: "ann", Files: map[string]*string{"src/x": githubsim.Text("x\n")},
	})
	require.NoError(t, err)
	h.victim.start()
	h.until(h.victim.ready, "it is ready")
	h.kills(permission)
	_, err = h.github.Comment(home, n, "ann", "/cancel dev")
	require.NoError(t, err)
	for i := range 5 {
		_, err = h.github.PushFiles(other, "main", "ann", "Push", map[string]*string{"x": githubsim.Text(fmt.Sprint(i))})
		require.NoError(t, err)
	}
	deaths := h.dies(func() bool {
		return h.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'handled' AND repo = 'acme/other'
				AND event = 'push'`) == 5 &&
			h.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'parked' AND event = 'issue_comment'`) == 1
	})
	require.Equal(t, 5, deaths)
	require.Equal(t, 1, h.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'parked'`))
	require.Contains(t, h.metrics(), `waybill_queue_parked{queue="deliveries"} 1`)
	h.victim.kill()
	require.Contains(t, h.victim.log.String(), "the server died five times in the middle of this")
	require.Contains(t, h.victim.log.String(), "waybill deliveries replay")
}

// TestAnEffectThatKillsTheProcessFailsItsPromotionAfterFiveDeathsF28: its people see why, and may have it tried again.
func TestAnEffectThatKillsTheProcessFailsItsPromotionAfterFiveDeathsF28(t *testing.T) {
	t.Parallel()
	h := newHunt(t, rand.New(rand.NewPCG(1, 0)))
	h.victim.start()
	h.until(h.victim.ready, "it is ready")
	h.kills(routes[promotion.Open])
	h.mergeOne()
	require.Equal(t, 5, h.dies(func() bool { return len(h.said()) > 0 }))
	require.Contains(t, h.said()[0], "the server died five times in the middle of this")
	require.Contains(t, h.said()[0], "/retry dev")
	h.github.Faults().Clear()
	_, err := h.github.Comment(home, 1, "ann", "/retry dev")
	require.NoError(t, err)
	h.until(func() bool { return len(promotionPulls(h.github, home)) > 0 }, "a new promotion opens its pull request")
}

// TestAProcessThatIsAskedToStopAgainAndAgainParksNothing stops the real process in the middle of the same effect, in
// good order: that is no death.
func TestAProcessThatIsAskedToStopAgainAndAgainParksNothing(t *testing.T) {
	t.Parallel()
	h := newHunt(t, rand.New(rand.NewPCG(1, 0)))
	begun, over := make(chan struct{}, 100), make(chan struct{})
	h.github.Faults().FailNext(routes[promotion.Open], githubsim.Fault{
		Before: func() {
			begun <- struct{}{}
			<-over
		}, Status: http.StatusBadGateway, Times: -1,
	})
	h.mergeOne()
	for range 6 {
		h.victim.start()
		<-begun
		require.NoError(t, h.victim.process.Signal(syscall.SIGTERM))
		h.until(h.victim.gone, "the process has ended")
	}
	h.github.Faults().Clear()
	close(over)
	h.finish()
}

// kills has each request of a route kill the process.
func (h *hunt) kills(route githubsim.Route) {
	h.github.Faults().FailNext(route, githubsim.Fault{Before: h.victim.shoot, Status: http.StatusBadGateway, Times: -1})
}

// dies starts the process, which runs, again whenever it has died, until something is so. It returns how often it died.
func (h *hunt) dies(so func() bool) (times int) {
	h.t.Helper()
	h.until(func() bool {
		if h.victim.gone() {
			times++
			h.victim.start()
		}
		return so()
	}, "the process lives on")
	return times
}

// count runs a query that counts.
func (h *hunt) count(query string) (n int) {
	db, err := sql.Open("sqlite", h.victim.database)
	require.NoError(h.t, err)
	defer db.Close()
	require.NoError(h.t, db.QueryRow(query).Scan(&n))
	return n
}

// metrics returns the metrics of the process.
func (h *hunt) metrics() string {
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get("http://" + h.victim.address + "/metrics")
	require.NoError(h.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(h.t, err)
	return string(text)
}

// said returns the comments of Waybill on the first source pull request that say how a promotion failed.
func (h *hunt) said() (all []string) {
	for _, c := range h.github.Comments(home, 1) {
		if strings.Contains(c.Body, "could not be promoted") {
			all = append(all, c.Body)
		}
	}
	return all
}

// dead makes the rows of a table look as if the process had died five times in the middle of their work.
func (s *site) dead(table, which string) {
	s.t.Helper()
	s.away()
	db, err := sql.Open("sqlite", s.file)
	require.NoError(s.t, err)
	defer db.Close()
	_, err = db.Exec(`UPDATE ` + table + ` SET deaths = 5 WHERE ` + which)
	require.NoError(s.t, err)
}

// TestAResyncThatKillsTheProcessHoldsUpNothing: it is made again after a minute.
func TestAResyncThatKillsTheProcessHoldsUpNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.dead("clocks", "name = 'resync'")
	s.clock.set(s.clock.Now().Add(time.Hour))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	require.Contains(t, s.pipelineRow().ResyncError, "the server died five times in the middle of this")
	require.True(t, s.pipelineRow().Stale.IsZero())
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	require.NotEmpty(t, s.pipelineRow().ResyncError)
	s.do("wait 2m")
	require.Empty(t, s.pipelineRow().ResyncError)
}

// TestASweepThatKillsTheProcessHoldsUpNothing: decisions are made without it.
func TestASweepThatKillsTheProcessHoldsUpNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.dead("clocks", "name = 'sweep'")
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

// TestAnEffectOfAPipelineThatIsNotUnderstoodWaits has a server work on a pipeline file of a later version, as another
// server may have taken it over.
func TestAnEffectOfAPipelineThatIsNotUnderstoodWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(routes[promotion.Open], githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("merge #1 by ann")
	write := func(text []byte) (before []byte) {
		s.away()
		db, err := sql.Open("sqlite", s.file)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.QueryRow(`SELECT config FROM pipelines`).Scan(&before))
		_, err = db.Exec(`UPDATE pipelines SET config = ?`, text)
		require.NoError(t, err)
		s.clock.set(s.clock.Now().Add(5 * time.Minute))
		require.NoError(t, s.restart(s.ctx))
		s.quiet()
		return before
	}
	before := write([]byte("version: 2\n"))
	s.github.Faults().Clear()
	write(before)
	s.do("wait 10m")
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
}

func TestACheckRunThatKillsTheProcessStaysAsItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	s.dead("views", "kind = 'check'")
	require.NoError(t, s.restart(s.ctx))
	s.do("check smoke failure on dev", "wait 1h")
	require.Equal(t, "in_progress", s.run(1, "dev").Status)
}

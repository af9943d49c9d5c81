package sandbox

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// killedPipeline promotes every freight through four stages, so that each run ends in the same state.
const killedPipeline = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [dev], queue: fifo}
  staging-a: {from: api, after: dev, set: {staging-a.yaml: {tag: "${api.short}"}}, verify: [staging-a], queue: fifo}
  staging-b: {from: api, after: dev, set: {staging-b.yaml: {tag: "${api.short}"}}, verify: [staging-b], queue: fifo}
  prod: {from: api, after: {all: [staging-a, staging-b]},
    set: {prod.yaml: {tag: "${api.short}"}}, verify: [prod], queue: fifo}
`

var killedStages = []string{"dev", "staging-a", "staging-b", "prod"}

// TestKillAtRandomMomentsLeavesEverythingOnce kills the real process again and again (F2, F20, docs/cases.md way 2): at
// a request to GitHub, before or after its effect, or at a random moment. Webhooks sent while the process is down are
// lost, unless GitHub is asked to redeliver them. The run must end in the state of a run without kills.
func TestKillAtRandomMomentsLeavesEverythingOnce(t *testing.T) {
	t.Parallel()
	kills := number(t, "WAYBILL_KILLS", 8)
	seed := number(t, "WAYBILL_SEED", 1)
	t.Logf("%d kills, WAYBILL_SEED=%d", kills, seed)
	h := newHunt(t, rand.New(rand.NewPCG(uint64(seed), 0)))
	h.mergeOne()
	for range kills {
		h.victim.start()
		h.aim()
		h.until(func() bool { h.moveOn(); return h.victim.gone() }, "the process is killed")
		h.github.Faults().Clear()
		if h.random.IntN(6) == 0 {
			h.mergeOne() // the process is down and misses the webhook
		}
	}
	h.github.Redeliver(h.random.IntN(5))
	h.finish()
}

// finish starts the process if it is gone, waits until all work is done, and checks the result.
func (h *hunt) finish() {
	h.t.Helper()
	if h.victim.gone() {
		h.victim.start()
	}
	h.until(func() bool { h.runCI(); return h.done() }, "every freight has reached every stage")
	h.until(func() bool { h.runCI(); return h.shown() }, "every check run says so")
	h.victim.kill()
	h.checkGitHub()
	h.checkDatabase()
}

// TestKillUnderLoadLosesNothingThatWasAcknowledged kills the real process at random moments, while webhooks arrive as
// fast as it answers them and freight moves. Each acknowledged webhook must be kept, and no effect may happen twice.
func TestKillUnderLoadLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	kills := number(t, "WAYBILL_KILLS", 8)
	seed := number(t, "WAYBILL_SEED", 1)
	h := newHunt(t, rand.New(rand.NewPCG(uint64(seed), 1)))
	l := newLoad(t, h.github, h.victim, 4, 0)
	h.mergeOne()
	for range kills {
		before := l.answered(http.StatusAccepted)
		h.victim.start()
		h.until(func() bool { return l.answered(http.StatusAccepted) > before || h.victim.gone() },
			"the first delivery is taken")
		time.AfterFunc(time.Duration(h.random.IntN(400))*time.Millisecond, h.victim.shoot)
		h.until(func() bool { h.moveOn(); return h.victim.gone() }, "the process is killed")
	}
	l.stop()
	h.finish()
	l.check(t, h.victim.database)
}

// number reads a number from the environment, with a default for an empty variable.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// hunt is a simulated GitHub whose people and CI continue while the program is killed.
type hunt struct {
	t       *testing.T
	random  *rand.Rand
	github  *githubsim.Server
	victim  *victim
	merged  int               // the number of merged source pull requests
	sources []string          // their merge commits
	checked map[string]string // by stage: the content of its file that CI reported on last
}

func newHunt(t *testing.T, random *rand.Rand) *hunt { return newHuntWith(t, random) }

// newHuntWith returns a hunt whose process is prepared before it starts for the first time.
func newHuntWith(t *testing.T, random *rand.Rand, prepare ...func(*victim)) *hunt {
	github, err := githubsim.Start(githubsim.Options{RateLimit: 1_000_000, Report: func(violation error) {
		t.Error(violation)
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	files := map[string]string{
		".github/waybill.yml": killedPipeline, ".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
	}
	h := &hunt{t: t, random: random, github: github, checked: map[string]string{}}
	for _, stage := range killedStages {
		files[stage+".yaml"] = "tag: none\n"
		h.checked[stage] = "tag: none\n"
	}
	require.NoError(t, github.CreateRepo(home, files))
	require.NoError(t, github.CreateUser("ann", "acme"))
	require.NoError(t, github.SetPermission(home, "ann", "write"))
	_, err = github.InstallApp("acme", home)
	require.NoError(t, err)
	h.victim = newVictim(t, github)
	for _, one := range prepare {
		one(h.victim)
	}
	h.victim.start() // the program must read the pipeline before the first merge: earlier merges are no freight
	h.until(h.knows, "the program knows the pipeline")
	h.victim.kill()
	return h
}

// knows reports whether the program has read the pipeline file without an error.
func (h *hunt) knows() bool {
	if !h.victim.ready() {
		return false
	}
	db := h.open()
	defer db.Close()
	var n int
	require.NoError(h.t, db.QueryRow(`SELECT COUNT(*) FROM pipelines WHERE config_error = ''`).Scan(&n))
	return n > 0
}

// open opens the program's database from outside.
func (h *hunt) open() *sql.DB {
	kind, name := "sqlite", h.victim.database
	if h.victim.server != "" {
		kind, name = "pgx", h.victim.server
	}
	db, err := sql.Open(kind, name)
	require.NoError(h.t, err)
	return db
}

// mergeOne opens and merges a source pull request.
func (h *hunt) mergeOne() {
	h.merged++
	n, err := h.github.OpenPull(home, githubsim.PullSpec{
		Title: fmt.Sprintf("Change %d", h.merged), Head: fmt.Sprintf("change-%d", h.merged), Author: "ann",
		Files: map[string]*string{fmt.Sprintf("src/%d", h.merged): githubsim.Text("x\n")},
	})
	require.NoError(h.t, err)
	sha, err := h.github.MergePull(home, n, "ann", "squash")
	require.NoError(h.t, err)
	h.sources = append(h.sources, sha)
}

// aim chooses the moment of the kill: one of the next requests, before or after its effect, or a random moment.
func (h *hunt) aim() {
	nth := 1 + h.random.IntN(30)
	switch h.random.IntN(3) {
	case 0:
		h.github.Faults().FailNext(githubsim.Route{},
			githubsim.Fault{Nth: nth, Before: h.victim.shoot, Status: http.StatusBadGateway})
	case 1:
		h.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Nth: nth, After: h.victim.shoot, LoseReply: true})
	default:
		time.AfterFunc(time.Duration(h.random.IntN(500))*time.Millisecond, h.victim.shoot)
	}
}

// moveOn lets CI report, and merges a new pull request if all promotions are done.
func (h *hunt) moveOn() {
	h.runCI()
	if h.done() {
		h.mergeOne()
	}
}

// runCI reports success for each stage whose file has changed on the main branch, once for each change.
func (h *hunt) runCI() {
	head := h.github.Head(home, "main")
	for _, stage := range killedStages {
		now, _ := h.github.File(home, head, stage+".yaml")
		if now == h.checked[stage] {
			continue
		}
		h.checked[stage] = now
		_, err := h.github.CreateCheckRun(home,
			githubsim.CheckSpec{Name: stage, SHA: head, Suite: "ci", Branch: "main", Conclusion: "success"})
		require.NoError(h.t, err)
	}
}

// done reports whether each freight has a pull request for each stage and none of these is open.
func (h *hunt) done() bool {
	ours := promotionPulls(h.github, home)
	return len(ours) >= h.merged*len(killedStages) &&
		!slices.ContainsFunc(ours, func(p string) bool { return strings.HasSuffix(p, ": open") })
}

// shown reports whether the check run of each stage is green on the ten newest source commits. Waybill does not update
// the check runs of old commits for ever.
func (h *hunt) shown() bool {
	for _, sha := range h.sources[max(0, len(h.sources)-10):] {
		green := 0
		for _, run := range h.github.CheckRuns(home, sha) {
			if run.App == "waybill" && run.Conclusion == "success" {
				green++
			}
		}
		if green < len(killedStages) {
			return false
		}
	}
	return true
}

// patience is the longest wait for a condition. It allows for a slow machine: the program opens at most 60 pull
// requests a minute.
const patience = 4 * time.Minute

// until polls a condition until it holds.
func (h *hunt) until(so func() bool, what string) {
	h.t.Helper()
	for begun := time.Now(); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			h.victim.kill()
			require.FailNow(h.t, "waited too long until "+what, "%s\n%d deliveries wait\n%s",
				strings.Join(promotionPulls(h.github, home), "\n"),
				h.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'waiting'`), h.victim.log.String())
		}
	}
}

// checkGitHub requires the result of an undisturbed run: one merged pull request and one branch for each freight and
// stage, the newest freight in every stage, and no check run twice on a source commit.
func (h *hunt) checkGitHub() {
	seen, heads := map[string]int{}, map[string]int{}
	for _, p := range h.github.Pulls(home) {
		if strings.HasPrefix(p.HeadBranch, "waybill/") {
			require.Equal(h.t, "merged", p.State, p.Title)
			seen[p.Title]++
			heads[p.HeadBranch]++
		}
	}
	require.Len(h.t, seen, h.merged*len(killedStages))
	require.Len(h.t, heads, h.merged*len(killedStages))
	for title, n := range seen {
		require.Equal(h.t, 1, n, title)
	}
	for _, branch := range h.github.Branches(home) {
		if strings.HasPrefix(branch, "waybill/") {
			require.Contains(h.t, heads, branch, "a branch without a pull request")
		}
	}
	last := h.sources[len(h.sources)-1]
	for _, stage := range killedStages {
		now, _ := h.github.File(home, "main", stage+".yaml")
		require.Contains(h.t, now, last[:7], stage)
	}
	for _, sha := range h.sources {
		// A completed run is followed by another one when it has to say something else, and else by none.
		states := map[string]string{}
		for _, run := range h.github.CheckRuns(home, sha) {
			if run.App == "waybill" {
				state := run.Status + " " + run.Conclusion
				require.NotEqual(h.t, states[run.Name], state, "%s on %s", run.Name, sha)
				states[run.Name] = state
			}
		}
	}
}

// checkDatabase requires one succeeded promotion for each freight and stage, no parked delivery, and an intact
// database.
func (h *hunt) checkDatabase() {
	db := h.open()
	defer db.Close()
	if h.victim.server == "" {
		var whole string
		require.NoError(h.t, db.QueryRow(`PRAGMA integrity_check`).Scan(&whole))
		require.Equal(h.t, "ok", whole)
	}
	var all, different, succeeded, parked int
	require.NoError(h.t, db.QueryRow(`SELECT COUNT(*), COUNT(DISTINCT stage || ' ' || freight),
		COUNT(CASE WHEN state = 'succeeded' THEN 1 END)
		FROM promotions`).Scan(&all, &different, &succeeded))
	require.NoError(h.t, db.QueryRow(`SELECT COUNT(*) FROM deliveries WHERE state = 'parked'`).Scan(&parked))
	want := h.merged * len(killedStages)
	require.Equal(h.t, []int{want, want, want, 0}, []int{all, different, succeeded, parked})
}

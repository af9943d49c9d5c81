package sandbox

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/internal/cable"
	"waybill/internal/githubsim"
	"waybill/internal/pgtest"
	"waybill/internal/story"
	"waybill/store"
)

// TestAProcessTakesTheMergeOfAPipelineThatAnotherHasFound has two processes on one database. The first finds a
// pipeline. The second gets the webhooks of a merge there before it has read anything of it, and handles them alone.
func TestAProcessTakesTheMergeOfAPipelineThatAnotherHasFound(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	key, err := shortKey()
	require.NoError(t, err)
	github, err := githubsim.Start(githubsim.Options{Clock: clock, Offline: true,
		App: githubsim.App{PrivateKey: key}, Report: func(v error) { t.Error(v) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	require.NoError(t, github.CreateOrg("acme"))
	require.NoError(t, github.CreateUser("ann", "acme"))
	require.NoError(t, github.CreateRepo(home, map[string]string{"readme": "none\n"}))
	require.NoError(t, github.SetPermission(home, "ann", "write"))
	_, err = github.InstallApp("acme", home)
	require.NoError(t, err)
	at := settings(github, filepath.Join(t.TempDir(), "waybill.db"))
	process := func() *program {
		p, err := startStepped(t.Context(), github, at,
			app.World{Clock: clock, Steady: time.Now, Wire: github, Shared: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.kill()) })
		return p
	}
	rest := func(p *program) {
		_, err := p.restStepped(t.Context())
		require.NoError(t, err)
	}
	first, second := process(), process()
	second.steps.workers = slices.DeleteFunc(second.steps.workers, func(w *stepper) bool { return w.name != "intake" })
	change := func(files map[string]*string) {
		n, err := github.OpenPull(home, githubsim.PullSpec{Head: "change", Author: "ann", Files: files})
		require.NoError(t, err)
		_, err = github.MergePull(home, n, "ann", "squash")
		require.NoError(t, err)
	}
	change(map[string]*string{config.PipelinePath: githubsim.Text(oneStage), "dev.yaml": githubsim.Text("tag: none\n")})
	rest(first)
	change(map[string]*string{"src/a": githubsim.Text("a\n")})
	for did := true; did; {
		did, err = second.step()
		require.NoError(t, err)
	}
	require.NoError(t, second.store.View(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Pipelines.ByRepo(story.Home)
		require.NoError(t, err)
		all, err := tx.Freight.Newest(row.ID, "api", 9)
		require.Len(t, all, 1)
		return err
	}))
}

// TestServersThatShareADatabaseLoseAndRepeatNothing has three real processes on one PostgreSQL behind a load balancer,
// while freight goes from dev to prod. Again and again one of them is killed, stands still, or is cut off from the
// database or from GitHub, all sessions are ended, or PostgreSQL is started again. What one did, the others take up,
// and the result is that of an undisturbed run. WAYBILL_FAULTS says how many faults there are, WAYBILL_SEED which.
func TestServersThatShareADatabaseLoseAndRepeatNothing(t *testing.T) {
	t.Parallel()
	faults, seed := number(t, "WAYBILL_FAULTS", 6), number(t, "WAYBILL_SEED", 1)
	f := newBand(t, 3, rand.New(rand.NewPCG(uint64(seed), 2)))
	for n := range faults {
		victim := f.all[f.random.IntN(len(f.all))]
		kind, least := bandFaults[n%len(bandFaults)], time.Duration(0)
		if n == len(bandFaults)+1 { // once in a long run, a process stands still until all that it had is taken up
			least = 90 * time.Second
		}
		begun := time.Now()
		f.mergeOne()
		f.goOn(time.Duration(f.random.IntN(1500)) * time.Millisecond)
		end := kind.begin(f, victim)
		f.goOn(least + time.Duration(500+f.random.IntN(kind.lasts))*time.Millisecond)
		end()
		f.until(func() bool { f.runCI(); f.noneFailed(); return f.done() }, "all freight is in prod after "+kind.what)
		t.Logf("%d: %s: done after %s", n+1, kind.what, time.Since(begun).Round(100*time.Millisecond))
	}
	f.until(func() bool { f.runCI(); return f.shown() }, "every check run says so")
	f.checkGitHub()
	f.checkDatabase()
	require.NoError(t, store.Read(t.Context(), f.server, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail()
		return err
	}))
	for _, r := range f.all {
		require.False(t, r.gone(), r.log.String())
	}
}

// TestServersGoOnWithTheStandbyThatTakesOver ends PostgreSQL for good while freight moves, and has its synchronous
// standby take over. Nobody starts the processes again: their URL names both.
func TestServersGoOnWithTheStandbyThatTakesOver(t *testing.T) {
	t.Parallel()
	var fail func()
	f := &band{}
	f.server, f.standby, fail = pgtest.StartPair(t)
	f.gather(t, 2, rand.New(rand.NewPCG(uint64(number(t, "WAYBILL_SEED", 1)), 3)))
	f.mergeOne()
	f.goOn(time.Duration(f.random.IntN(1500)) * time.Millisecond)
	fail()
	f.server = f.standby
	f.hunt.victim.server = f.standby
	f.mergeOne()
	f.until(func() bool { f.runCI(); f.noneFailed(); return f.done() }, "all freight is in prod")
	f.until(func() bool { f.runCI(); return f.shown() }, "every check run says so")
	f.checkGitHub()
	f.checkDatabase()
	for _, r := range f.all {
		require.False(t, r.gone(), r.log.String())
	}
}

// band are several processes on one database. Its hunt's victim is the first of them.
type band struct {
	*hunt
	server  string // the URL of the database, without a cable
	standby string // the same of the server that takes its place; empty: there is none
	again   func() // starts its server again
	all     []*replica
	next    atomic.Int64 // of all, for the next webhook
}

// replica is a process with cables to the database and to GitHub.
type replica struct {
	*victim
	database, github *cable.Cable
}

// bandFault is something that happens to a process, or to the database of all.
type bandFault struct {
	what  string
	lasts int // at most, in milliseconds
	begin func(*band, *replica) (end func())
}

var bandFaults = []bandFault{
	{"a kill", 2000, func(_ *band, r *replica) func() { r.kill(); return r.start }},
	{"a process that stands still", 20_000, func(f *band, r *replica) func() {
		require.NoError(f.t, r.process.Signal(syscall.SIGSTOP))
		return func() { require.NoError(f.t, r.process.Signal(syscall.SIGCONT)) }
	}},
	{"a process that is cut off from the database", 20_000, func(_ *band, r *replica) func() {
		r.database.Down()
		return r.database.Up
	}},
	{"a process that is cut off from GitHub", 20_000, func(_ *band, r *replica) func() {
		r.github.Down()
		return r.github.Up
	}},
	{"a start of PostgreSQL", 1, func(f *band, _ *replica) func() { f.again(); return func() {} }},
	{"an end of all sessions", 1, func(f *band, _ *replica) func() { endSessions(f.t, f.server); return func() {} }},
}

// newBand starts a number of processes on one database.
func newBand(t *testing.T, n int, random *rand.Rand) *band {
	f := &band{}
	f.server, f.again = pgtest.StartAgain(t)
	f.gather(t, n, random)
	return f
}

// gather starts the processes of a band.
func (f *band) gather(t *testing.T, n int, random *rand.Rand) {
	f.hunt = newHuntWith(t, random, func(v *victim) { f.join(t, v) })
	for range n - 1 {
		f.join(t, newVictim(t, f.hunt.github))
	}
	balancer := httptest.NewServer(http.HandlerFunc(f.balance))
	t.Cleanup(balancer.Close)
	f.hunt.github.SetWebhookURL(balancer.URL + "/api/github/hook")
	for _, r := range f.all {
		r.start()
	}
	for _, r := range f.all {
		f.until(r.ready, "it is ready")
	}
}

// join has a process work on the database of the band.
func (f *band) join(t *testing.T, v *victim) {
	database := cable.New(t, "unix", pgtest.Socket(t, f.server))
	addresses := []string{database.Address}
	if f.standby != "" {
		addresses = append(addresses, cable.New(t, "unix", pgtest.Socket(t, f.standby)).Address)
	}
	hub, err := url.Parse(v.github.URL())
	require.NoError(t, err)
	github := cable.New(t, "tcp", hub.Host)
	v.server, v.hub = pgtest.Through(t, f.server, addresses...), "http://"+github.Address
	v.env = append(v.env, "WAYBILL_REPLICAS=true", "WAYBILL_CONTENT_PER_MINUTE=10000", "WAYBILL_CONTENT_PER_HOUR=10000")
	f.all = append(f.all, &replica{v, database, github})
}

// balance passes a webhook to one process after the other, until one takes it.
func (f *band) balance(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for range f.all {
		to := f.all[int(f.next.Add(1))%len(f.all)]
		if status := pass(r, to.address, body); status == http.StatusAccepted {
			w.WriteHeader(status)
			return
		}
	}
	w.WriteHeader(http.StatusBadGateway)
}

// pass passes a request on and returns the status of the answer; 0: there is none.
func pass(r *http.Request, address string, body []byte) (status int) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	there, err := http.NewRequestWithContext(ctx, r.Method, "http://"+address+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	there.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(there)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// noneFailed requires that no promotion has failed.
func (f *band) noneFailed() {
	f.t.Helper()
	db := f.open()
	defer db.Close()
	var failed int
	require.NoError(f.t, db.QueryRow(`SELECT COUNT(*) FROM promotions WHERE state = 'failed'`).Scan(&failed))
	if failed == 0 {
		return
	}
	for n, r := range f.all {
		r.kill()
		f.t.Logf("process %d:\n%s", n+1, r.log.String())
	}
	require.FailNow(f.t, "a promotion has failed")
}

// goOn has CI report for a while.
func (f *band) goOn(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		f.runCI()
	}
}

// TestADatabaseThatCannotBeReachedInTheMiddleOfAStepFailsNoPromotion cuts a server off from its database while GitHub
// answers, and for longer than a transaction waits for a connection.
func TestADatabaseThatCannotBeReachedInTheMiddleOfAStepFailsNoPromotion(t *testing.T) {
	t.Parallel()
	f := newBand(t, 1, rand.New(rand.NewPCG(1, 3)))
	var cutOff atomic.Bool
	f.hunt.github.Faults().FailNext(asked["merge"], githubsim.Fault{After: func() {
		f.all[0].database.Down()
		cutOff.Store(true)
	}})
	f.mergeOne()
	f.until(func() bool { f.runCI(); return cutOff.Load() }, "it is cut off")
	f.goOn(12 * time.Second)
	f.hunt.github.Faults().Clear()
	f.all[0].database.Up()
	f.until(f.all[0].ready, "it is ready again")
	f.hunt.github.Redeliver(1000) // the webhooks that it refused
	f.until(func() bool { f.runCI(); f.noneFailed(); return f.done() }, "it is in prod")
	f.until(func() bool { f.runCI(); return f.shown() }, "every check run says so")
	f.checkGitHub()
	f.checkDatabase()
}

package sandbox

import (
	"database/sql"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// BenchmarkSlowNeighbours measures how long the first pull request of a release and the answer to /status take in one
// installation, alone : beside six to which GitHub answers after 25 s, and that have more work than may be under way at
// a time. GitHub answers the one at once, so that nothing hides what it waits for. Two programs in this process take
// turns. One operation is twenty releases, with -short three.
func BenchmarkSlowNeighbours(b *testing.B) {
	releases := 20
	if testing.Short() {
		releases = 3
	}
	ctx := zerolog.Nop().WithContext(b.Context())
	alone, beside := newTenants(b, ctx, 0, 0, 0), newTenants(b, ctx, 6, 4, 0)
	beside.slowDown(25 * time.Second)
	alone.serve()
	beside.serve()
	var opened, answered [2][]time.Duration
	for b.Loop() {
		for range releases {
			for i, s := range []*tenants{alone, beside} {
				one, other := s.serve()
				opened[i], answered[i] = append(opened[i], one), append(answered[i], other)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for what, took := range map[string][2][]time.Duration{"opened": opened, "answered": answered} {
		b.ReportMetric(milliseconds(took[0], 50), "ms-"+what+"-alone")
		b.ReportMetric(milliseconds(took[1], 50)/milliseconds(took[0], 50), what+"-p50:alone")
		b.ReportMetric(milliseconds(took[1], 99)-milliseconds(took[0], 99), "ms-longer-"+what+"-p99")
	}
}

// BenchmarkPromotionsPerSecond measures how many promotions a second the real process makes over ten installations of
// many repositories while GitHub takes 400 ms for each answer, with no limit on content, and how much of a core the
// process uses meanwhile. The simulated GitHub works on the same processors. Each repository promotes one freight after
// the other. One operation is thirty seconds, with -short five.
func BenchmarkPromotionsPerSecond(b *testing.B) {
	const installations, latency = 10, 400 * time.Millisecond
	repos, length := 8, 30*time.Second
	if testing.Short() {
		repos, length = 2, 5*time.Second
	}
	c := newCost(b)
	require.NoError(b, c.github.CreateUser("bob", "acme"))
	all := c.installEach(installations, repos, map[string]string{".github/waybill.yml": oneStage})
	v := newVictim(b, c.github)
	v.env = append(v.env, "WAYBILL_CONTENT_PER_MINUTE=10000", "WAYBILL_CONTENT_PER_HOUR=10000")
	v.start()
	c.until(v.ready, "the process is ready")
	c.until(func() bool { return v.count(`SELECT COUNT(*) FROM stages`) == len(all)+1 }, "all pipelines are known")
	c.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Delay: latency, Times: -1})
	c.github.SendAtOnce(32) // or the benchmark measures how long webhooks wait for each other

	var promoted atomic.Int64
	var promoting sync.WaitGroup
	over := make(chan struct{})
	for _, repo := range all {
		promoting.Go(func() { assert.NoError(b, promoteOn(c.github, repo, &promoted, over)) })
	}
	defer promoting.Wait()
	defer close(over)
	c.until(func() bool { return promoted.Load() >= int64(len(all)) }, "each repository has promoted")
	for b.Loop() {
		c.github.ForgetRequests()
		before, used, began := promoted.Load(), processorTime(b, v.pid()), time.Now()
		time.Sleep(length)
		n, cost, took := promoted.Load()-before, processorTime(b, v.pid())-used, time.Since(began)
		b.ReportMetric(float64(n)/took.Seconds(), "promotions/s")
		b.ReportMetric(cost.Seconds()/took.Seconds(), "cores")
		b.ReportMetric(cost.Seconds()*1000/float64(n), "ms-of-processor")
		b.ReportMetric(float64(len(c.github.Requests()))/float64(n), "requests")
	}
	b.ReportMetric(0, "ns/op")
}

// count runs a query that counts.
func (v *victim) count(query string) (n int) {
	db, err := sql.Open("sqlite", v.database)
	require.NoError(v.t, err)
	defer db.Close()
	require.NoError(v.t, db.QueryRow(query).Scan(&n))
	return n
}

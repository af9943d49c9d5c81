package sandbox

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
)

// BenchmarkSeveralServers measures how many promotions a second one server makes on PostgreSQL, and three, over eight
// installations while GitHub answers at once, and then how long the three take to acknowledge one signed comment of 10
// KB after the other, while one of them is killed. PostgreSQL and the simulated GitHub work on the same processors, so
// that only the ratio is meaningful. One operation is thirty seconds of each, with -short five of fewer repositories.
func BenchmarkSeveralServers(b *testing.B) {
	length := 30 * time.Second
	if testing.Short() {
		length = 5 * time.Second
	}
	var rate [2]float64
	var acknowledged []time.Duration
	for b.Loop() {
		rate[0], _ = serversAtWork(b, 1, length)
		rate[1], acknowledged = serversAtWork(b, 3, length)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rate[0], "promotions/s-of-one")
	b.ReportMetric(rate[1], "promotions/s-of-three")
	b.ReportMetric(rate[1]/rate[0], "three:one")
	b.ReportMetric(milliseconds(acknowledged, 50), "ms-acknowledged-p50")
	b.ReportMetric(milliseconds(acknowledged, 99), "ms-acknowledged-p99")
}

// serversAtWork has some servers on one database make promotions, and returns how many a second. Then it returns how
// long each of a thousand comments takes to be acknowledged, in the middle of which one of several servers is killed.
func serversAtWork(b *testing.B, servers int, length time.Duration) (rate float64, acknowledged []time.Duration) {
	const installations = 8
	repos := 4
	if testing.Short() {
		repos = 1
	}
	c := newCost(b)
	require.NoError(b, c.github.CreateUser("bob", "acme"))
	all := c.installEach(installations, repos, map[string]string{".github/waybill.yml": oneStage})
	f := &band{server: pgtest.Start(b)}
	for range servers {
		v := newVictim(b, c.github)
		v.server = f.server
		v.env = append(v.env, "WAYBILL_REPLICAS=true", "WAYBILL_CONTENT_PER_MINUTE=10000", "WAYBILL_CONTENT_PER_HOUR=10000")
		f.all = append(f.all, &replica{victim: v})
	}
	balancer := httptest.NewServer(http.HandlerFunc(f.balance))
	b.Cleanup(balancer.Close)
	c.github.SetWebhookURL(balancer.URL + "/api/github/hook")
	for _, r := range f.all {
		r.start()
		c.until(r.ready, "it is ready")
	}
	db, err := sql.Open("pgx", f.server)
	require.NoError(b, err)
	defer db.Close()
	c.until(func() bool {
		known := 0
		require.NoError(b, db.QueryRow(`SELECT COUNT(*) FROM stages`).Scan(&known))
		return known == len(all)+1
	}, "all pipelines are known")
	c.github.SendAtOnce(32)

	var promoted atomic.Int64
	var promoting sync.WaitGroup
	over := make(chan struct{})
	for _, repo := range all {
		promoting.Go(func() { assert.NoError(b, promoteOn(c.github, repo, &promoted, over)) })
	}
	c.until(func() bool { return promoted.Load() >= int64(len(all)) }, "each repository has promoted")
	before, began := promoted.Load(), time.Now()
	time.Sleep(length)
	rate = float64(promoted.Load()-before) / time.Since(began).Seconds()
	close(over)
	promoting.Wait()
	if servers == 1 {
		return rate, nil
	}
	request := string(signedRequest(b, "issue_comment", c.github.WebhookSecret()))
	head, body, found := strings.Cut(request, "\r\n\r\n")
	require.True(b, found)
	const comments = 1000
	for n := range comments {
		if n == comments/2 {
			f.all[0].kill()
		}
		acknowledged = append(acknowledged, f.comment(b, head, body, n))
	}
	return rate, acknowledged
}

// comment posts a comment to the servers in turn, as a load balancer does, and returns how long that took.
func (f *band) comment(b *testing.B, head, body string, n int) time.Duration {
	r := httptest.NewRequest(http.MethodPost, "/api/github/hook", strings.NewReader(body))
	for _, line := range strings.Split(head, "\r\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, strings.Replace(value, anyGUID, fmt.Sprintf("%0*d", len(anyGUID), n), 1))
	}
	r.Header.Del("Content-Length")
	w, began := httptest.NewRecorder(), time.Now()
	f.balance(w, r)
	require.Equal(b, http.StatusAccepted, w.Code)
	return time.Since(began)
}

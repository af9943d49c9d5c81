package env

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waybill/store"
)

// census counts waiting work and open promotions when metrics are asked for, in one short transaction that reads, at
// most once in some seconds however often they are asked for.
type census struct {
	store *store.Store
	clock func() time.Time

	due, failing, oldest, parked, undecided, open, holds, withheld, size, servers, readable *prometheus.Desc

	mu   sync.Mutex
	at   time.Time
	last taken
}

// taken is a census, with the size of the database and how many servers work on it.
type taken struct {
	store.Census
	bytes   int64
	servers int
	err     error
}

const (
	// censusEvery is how old a census may be that is answered.
	censusEvery = 5 * time.Second
	// censusTime bounds how long a census may take.
	censusTime = 5 * time.Second
)

func newCensus(c *catalogue, s *store.Store, clock func() time.Time) *census {
	gauge := func(m Metric) *prometheus.Desc {
		c.note(m, "gauge")
		return prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
	}
	queue := []string{"queue"}
	made := &census{store: s, clock: clock}
	made.due = gauge(Metric{
		Name: "waybill_queue_due", Labels: queue,
		Help: "What is due now, or waits for another try after a failure: deliveries, effects, views, resyncs, and " +
			"missed webhooks that GitHub is asked for. 10,000 means at least so many.",
		Act: "If it rises for minutes, work comes faster than it is done: see which of " +
			"`waybill_effect_duration_seconds` and `waybill_github_request_duration_seconds` has risen.",
	})
	made.failing = gauge(Metric{
		Name: "waybill_queue_failing", Labels: queue, Help: "Due work that failed at its last try.",
		Act: "The log has the errors. If it is GitHub's, it heals by itself.",
	})
	made.oldest = gauge(Metric{
		Name: "waybill_queue_oldest_seconds", Labels: queue,
		Help: "How long the oldest due work has waited: since it came or was decided; views and resyncs " +
			"since they were due last.",
		Act: "Minutes are usual only while GitHub fails. `deliveries`: webhooks are handled late, everybody waits. " +
			"`effects`: `waybill status` shows where promotions stand. `views`: people see an old state.",
	})
	made.parked = gauge(Metric{
		Name: "waybill_queue_parked", Labels: queue,
		Help: "What waits for a person: deliveries that failed too often, or that the server died of five times.",
		Act:  "`waybill deliveries list` says why, `waybill deliveries replay` has them handled again.",
	})
	made.undecided = gauge(Metric{
		Name: "waybill_undecided_stages", Labels: []string{"state"},
		Help: "Stages that have something new to decide: soon, or postponed because they could not be decided; and those " +
			"that are parked because the server died five times in the middle of a decision.",
		Act: "`postponed`, `parked`: a bug, the log names the stage; it is decided again after a minute or an hour. `soon` " +
			"above 0 for minutes: the processor or the disk is busy.",
	})
	made.open = gauge(Metric{
		Name: "waybill_promotions", Labels: []string{"state"}, Help: "Promotions that have not ended, by state.",
		Act: "Many in `running` for minutes: GitHub refuses, see `waybill_effects_total`. The other states wait " +
			"for people and CI.",
	})
	made.holds = gauge(Metric{
		Name: "waybill_holds", Labels: []string{"by"}, Help: "Holds of stages and pipelines that stand, by who holds.",
		Act: "`waybill`: verifications failed or are missing; their people have been told. `person`: a person may " +
			"have forgotten one, `/status` lists them.",
	})
	made.withheld = gauge(Metric{
		Name: "waybill_withheld", Labels: []string{"purpose"},
		Help: "Work that is due and waits, without being tried, until GitHub may be asked for its installation, or until " +
			"more pull requests and comments may be made. The ends of promotions count as rollbacks.",
		Act: "It heals by itself: see `waybill_github_remaining`, and docs/limits.md for the order. `rollback` above 0 for " +
			"minutes: GitHub does not answer, or asks for a pause.",
	})
	made.size = gauge(Metric{
		Name: "waybill_database_bytes", Help: "How much the database takes up on the disk.",
		Act: "It levels out with `retention`. Keep as much space free: a backup needs it.",
	})
	made.servers = gauge(Metric{
		Name: "waybill_servers", Help: "How many servers work on the database: each has said so in the last 15 seconds.",
		Act: "Fewer than you run: one is dead, or cannot reach the database. The others have taken up what it was doing.",
	})
	made.readable = gauge(Metric{
		Name: "waybill_database_readable", Help: "1 if these numbers could be read from the database, 0 if not.",
		Act: "At 0: the log has the error. The file may be damaged: stop, keep a copy, restore the backup.",
	})
	return made
}

// Describe implements prometheus.Collector.
func (c *census) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.due, c.failing, c.oldest, c.parked, c.undecided, c.open, c.holds, c.withheld, c.size, c.servers,
		c.readable,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *census) Collect(to chan<- prometheus.Metric) {
	now, seen := c.take()
	set := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if seen.err != nil {
		set(c.readable, 0)
		return
	}
	set(c.readable, 1)
	set(c.size, float64(seen.bytes))
	set(c.servers, float64(seen.servers))
	for name, q := range seen.Queues {
		age := 0.0
		if !q.Oldest.IsZero() {
			age = max(0, now.Sub(q.Oldest).Seconds())
		}
		set(c.due, float64(q.Due), name)
		set(c.failing, float64(q.Failed), name)
		set(c.oldest, age, name)
	}
	set(c.parked, float64(seen.Queues["deliveries"].Parked), "deliveries")
	set(c.undecided, float64(max(0, seen.Undecided-seen.Postponed-seen.Parked)), "soon")
	set(c.undecided, float64(seen.Postponed), "postponed")
	set(c.undecided, float64(seen.Parked), "parked")
	for _, state := range []string{"queued", "running", "waiting-for-merge", "verifying"} {
		set(c.open, float64(seen.Promotions[state]), state)
	}
	for _, purpose := range []string{"rollback", "promotion", "answer", "view", "resync"} {
		set(c.withheld, float64(seen.Withheld[purpose]), purpose)
	}
	for _, by := range []string{"person", "waybill"} {
		set(c.holds, float64(seen.Holds[by]), by)
	}
}

// take returns the last census if it is new enough, or else another one.
func (c *census) take() (now time.Time, seen taken) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = c.clock()
	if age := now.Sub(c.at); age >= 0 && age < censusEvery && c.last.err == nil {
		return now, c.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), censusTime)
	defer cancel()
	seen.err = c.store.View(ctx, func(tx *store.Tx) (err error) {
		seen.Census, err = tx.Upkeep.Census()
		return err
	})
	if seen.err == nil {
		seen.bytes, seen.err = c.store.Size(ctx)
	}
	if seen.err == nil {
		seen.servers, seen.err = c.store.Servers(ctx)
	}
	c.at, c.last = now, seen
	return now, seen
}

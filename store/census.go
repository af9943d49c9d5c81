package store

import "time"

// Census is a count of waiting work and open promotions, for people who look after the server.
type Census struct {
	Queues     map[string]Waiting
	Undecided  int            // stages that have something new to decide
	Postponed  int            // of them, those that could not be decided and are left alone for a while
	Parked     int            // stages whose decision five processes have died of
	Promotions map[string]int // that have not ended, by state
	Holds      map[string]int // that stand, by who holds: a person, or Waybill itself
	Withheld   map[string]int // rows that wait until GitHub may be asked, or content be made, by their purpose
}

// Waiting is a count of the work of a queue.
type Waiting struct {
	Due    int       // rows that a worker could take now, or that wait for another try after a failure
	Failed int       // of them, those whose last try failed
	Oldest time.Time // since when the oldest of them has waited; the zero time is none
	Parked int       // rows that wait for a person
}

// censusRows bounds how many rows of a table a census reads, so that it costs the same whatever happens. A number that
// is as large means: so many at least.
const censusRows = 10_000

// censusQueries are the statements that count queues, by their names. The inner ones read an index of the rows that
// wait.
var censusQueries = map[string]string{
	"deliveries": countOf(`deliveries`, `received_at`, ``),
	"effects":    countOf(`effects`, `decided_at`, ``),
	"views":      countOf(`views`, `run_at`, ``),
	"resyncs":    countOf(`clocks`, `run_at`, ` AND name = 'resync'`),
	"missed":     countOf(`missed`, `first_at`, ``),
}

// countOf returns the statement that counts a queue. since is the column that says since when a row has waited.
func countOf(table, since, only string) string {
	return `SELECT COUNT(*), COALESCE(SUM(q.failed), 0), COALESCE(MIN(q.since), 0) FROM (
		SELECT run_at, ` + since + ` AS since, CASE error WHEN '' THEN 0 ELSE 1 END AS failed FROM ` + table + `
		WHERE run_at IS NOT NULL` + only + ` LIMIT $2 + 0) q
		WHERE q.run_at <= $1 OR q.failed = 1`
}

// Census counts waiting work and open promotions.
func (up Upkeep) Census() (c Census, err error) {
	c = Census{
		Queues: map[string]Waiting{}, Promotions: map[string]int{}, Holds: map[string]int{}, Withheld: map[string]int{},
	}
	for name, query := range censusQueries {
		var b Waiting
		var since int64
		if _, err := up.tx.one([]any{&b.Due, &b.Failed, &since}, query, micros(up.tx.Now), censusRows); err != nil {
			return c, wrap("count "+name, err)
		}
		if since > 0 {
			b.Oldest = time.UnixMicro(since).UTC()
		}
		c.Queues[name] = b
	}
	return c, up.census(&c)
}

func (up Upkeep) census(c *Census) error {
	inbox := c.Queues["deliveries"]
	for _, count := range []struct {
		of    *int
		query string
		args  []any
	}{
		{&inbox.Parked, `SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE state = 'parked' LIMIT $1 + 0) q`,
			[]any{censusRows}},
		{&c.Undecided, `SELECT COUNT(*) FROM (SELECT 1 FROM stages WHERE version > decided LIMIT $1 + 0) q`,
			[]any{censusRows}},
		{&c.Postponed, `SELECT COUNT(*)
			FROM (SELECT not_before, deaths FROM stages WHERE version > decided LIMIT $1 + 0) q
			WHERE q.not_before > $2 AND q.deaths < $3`, []any{censusRows, micros(up.tx.Now), deadlyDeaths}},
		{&c.Parked, `SELECT COUNT(*) FROM stages WHERE deaths >= $1`, []any{deadlyDeaths}},
	} {
		if _, err := up.tx.one([]any{count.of}, count.query, count.args...); err != nil {
			return wrap("count waiting work", err)
		}
	}
	c.Queues["deliveries"] = inbox
	return up.countOpen(c)
}

// countOpen counts promotions and holds.
func (up Upkeep) countOpen(c *Census) error {
	now := micros(up.tx.Now)
	for _, group := range []struct {
		into  map[string]int
		query string
		args  []any
	}{
		{c.Promotions, `SELECT q.state, COUNT(*) FROM (SELECT state FROM promotions WHERE ended_at IS NULL LIMIT $1 + 0) q
			GROUP BY q.state`, []any{censusRows}},
		{c.Holds, `SELECT q.holder, COUNT(*) FROM (
			SELECT until_at, CASE actor WHEN '' THEN 'waybill' ELSE 'person' END AS holder FROM holds
			WHERE lifted_at IS NULL LIMIT $1 + 0) q
			WHERE q.until_at IS NULL OR q.until_at > $2 GROUP BY q.holder`, []any{censusRows, now}},
		{c.Withheld, withheldEffects, []any{censusRows, now}},
		{c.Withheld, withheldViews, []any{censusRows, now}},
		{c.Withheld, withheldResyncs, []any{censusRows, now}},
	} {
		type row struct {
			name string
			n    int
		}
		all, err := list(up.tx, func(r *row) []any { return []any{&r.name, &r.n} }, group.query, group.args...)
		if err != nil {
			return wrap("count open promotions", err)
		}
		for _, r := range all {
			group.into[r.name] = r.n
		}
	}
	return nil
}

package store

import (
	"fmt"
	"time"
)

// Clock is work that comes back by itself: for the whole server, or for a pipeline. Its times are in the database, so
// that a restart neither resets it nor lets it ring early.
type Clock struct {
	Name     string
	Pipeline int64     // 0: it is the server's
	Lease    Lease     // of one that was claimed
	Done     time.Time // when the last complete run began; zero: never
	Due      time.Time // zero: only when it is asked for
	Failures int       // since the last complete run
	Error    string    // of the last run, if it failed
}

// The names of clocks.
const (
	ClockDiscovery = "discovery" // looks for pipelines
	ClockAudit     = "audit"     // notes the ends of the chains of the audit trail
	ClockSweep     = "sweep"     // looks for webhooks that were missed
	ClockResync    = "resync"    // looks at everything that a pipeline rests on
	ClockEvents    = "events"    // sends events to their receiver
)

const clockColumns = `name, pipeline, done_at, run_at, CASE token WHEN '' THEN attempts ELSE attempts - 1 END, error`

func (c *Clock) dest() []any {
	return []any{&c.Name, &c.Pipeline, at(&c.Done), at(&c.Due), &c.Failures, &c.Error}
}

// clocks are the queues of clocks by their names. Runs that were asked for go before those at intervals.
var clocks = map[string]*queue{
	ClockDiscovery: newClocks(ClockDiscovery),
	ClockAudit:     newClocks(ClockAudit),
	ClockSweep:     newClocks(ClockSweep),
	ClockResync:    newClocks(ClockResync),
	ClockEvents:    newClocks(ClockEvents),
}

func newClocks(name string) *queue {
	return newQueue(name, queueTable{
		table: "clocks", key: []string{"name", "pipeline"}, only: `q.name = '` + name + `'`, order: `q.run_at, q.pipeline`,
		columns: clockColumns, first: isUnready(`q.pipeline`), // promotions wait for it
	})
}

// ClaimClock takes a clock of a name that is due, nil if there is none; then wake is when one will be, the zero time if
// only an event can make one due.
func (cs Clocks) ClaimClock(name string, c Claim) (clock *Clock, wake time.Time, err error) {
	clock, lease, wake, err := claim(cs.tx, clocks[name], c, (*Clock).dest)
	if clock != nil {
		clock.Lease = lease.of(name, clock.Pipeline)
	}
	return clock, wake, err
}

// TakeClock takes a clock whether it is due or not. A worker that has it loses it. If the run is not ended, the clock
// is due.
func (cs Clocks) TakeClock(name string, pipeline int64, length time.Duration) (Clock, error) {
	token := cs.tx.store.newToken()
	taken, err := list(cs.tx, (*Clock).dest,
		`UPDATE clocks SET attempts = CASE token WHEN '' THEN attempts + 1 ELSE attempts END,
		run_at = $5, token = $3, leased_until = $4 WHERE name = $1 AND pipeline = $2 RETURNING `+clockColumns,
		name, pipeline, token, micros(cs.tx.conn.Steady().Add(length)), micros(cs.tx.Now))
	if err = orNotFound(len(taken) > 0, err, fmt.Sprintf("take the %s of pipeline %d", name, pipeline)); err != nil {
		return Clock{}, err
	}
	taken[0].Lease = Lease{queue: clocks[name], token: token, key: []any{name, pipeline}}
	return taken[0], nil
}

// ClockDone notes that a clock's work is done, when that began, and when it is due again. If it was asked for meanwhile
// it is due at once.
func (cs Clocks) ClockDone(c *Clock, began, due time.Time) error {
	err := cs.tx.mustChange("note when the "+c.Name+" began", `UPDATE clocks SET done_at = $3,
		priority = CASE WHEN again_at IS NULL THEN 1 ELSE 0 END WHERE name = $1 AND pipeline = $2`, c.Name,
		c.Pipeline, micros(began))
	if err != nil {
		return err
	}
	return cs.tx.finish(c.Lease, due, time.Time{})
}

// ClockFailed notes why a clock's work failed, and when to try again.
func (cs Clocks) ClockFailed(c *Clock, why string, when time.Time) error {
	return cs.tx.retry(c.Lease, why, when)
}

// ask makes a clock due now, or once more after the run that is under way.
func (cs Clocks) ask(name string, pipeline int64) error {
	return cs.tx.mustChange("ask for a "+name, `UPDATE clocks SET priority = 0, `+wantedAt(`clocks`, `$3`)+`
		WHERE name = $1 AND pipeline = $2`, name, pipeline, micros(cs.tx.Now))
}

// AskDiscovery makes the look for pipelines due now, or once more after one that is under way.
func (cs Clocks) AskDiscovery() error { return cs.ask(ClockDiscovery, 0) }

// AskEvents makes it due now to send events.
func (cs Clocks) AskEvents() error { return cs.ask(ClockEvents, 0) }

// Clock returns a clock of the server.
func (cs Clocks) Clock(name string) (Clock, error) {
	var c Clock
	found, err := cs.tx.one(c.dest(), `SELECT `+clockColumns+` FROM clocks WHERE name = $1 AND pipeline = 0`, name)
	return c, orNotFound(found, err, "read clock "+name)
}

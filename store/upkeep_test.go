package store_test

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestUpkeep(t *testing.T) { prove(t, upkeep) }

var upkeep = []test{
	{"what has been handled and what nobody hosts is forgotten in time, a bit at a time", func(w *world) {
		for i := range 5 {
			w.accept(fmt.Sprint(i), "body")
		}
		for range 3 {
			w.NotNil(w.handleNext())
		}
		w.push("l", "m0", "a")
		w.clock.advance(30 * time.Minute)
		w.host(dev, 1, w.merge(1), "m1")
		w.signal(check(1, "m1", "cancelled"))
		w.signal(check(2, "nobody", "success"))
		w.suite(promotion.Suite{Repo: home, ID: 50, SHA: "m1"})
		w.suite(promotion.Suite{Repo: home, ID: 51, SHA: "nobody"})
		w.push("m0", "m1", "a")
		w.clock.advance(time.Hour)
		w.push("m1", "m2", "a")
		w.Zero(w.prune(start.Add(-time.Hour)))
		w.Equal(int64(3+1+1+1), w.prune(start.Add(time.Hour)),
			"deliveries, a signal, a suite, a push from long before the deployment")
		w.Zero(w.prune(start.Add(time.Hour)))
		w.NotNil(w.claimDelivery(), "what waits stays")
		s := w.snapshot(dev)
		w.Len(s.Evidence[0].Runs, 1)
		w.Len(s.Evidence[0].Suites, 1)
		w.EqualValues("m2", s.Evidence[0].Head)
	}},
	{"the beginning of the audit trail is forgotten in time, and the rest still holds", func(w *world) {
		w.logged("a", "b", "c")
		w.clock.advance(time.Hour)
		w.logged("d")
		w.Equal(int64(3), w.prune(w.clock.Now()))
		w.checked(1 + 2) // one note for each of the two steps
		w.Contains(w.trail(0, 0)[0].Text, `"text":"d"`)
	}},
	{"the backlog is empty when there is nothing to do now, and tells when there will be", func(w *world) {
		w.wound()
		w.backlog(1, start.Add(year)) // a new pipeline needs a resync
		w.resynced()
		next := start.Add(9 * time.Hour)
		w.view(func(tx *store.Tx) error {
			p, err := tx.Pipelines.ByID(pipeline)
			next = p.ResyncDue
			return err
		})
		w.backlog(0, next)
		w.accept("g1", "body")
		w.show("a")
		w.merge(1)
		w.backlog(1+1+3, next)
		d := w.claimDelivery()
		w.claimView()
		w.backlog(1+1+3, next) // rows that are leased count
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
		w.showed("a")
		w.settle()
		w.apply(prod, promotion.Decision{Wake: start.Add(time.Hour)})
		w.backlog(0, start.Add(time.Hour))
		w.miss(store.Missed{GUID: "missed", Attempt: 1, First: start, RunAt: start})
		w.miss(store.Missed{GUID: "later", Attempt: 2, First: start, RunAt: start})
		w.backlog(2, start.Add(time.Hour))
		var m *store.Missed
		w.update(func(tx *store.Tx) (err error) {
			m, _, err = tx.Inbox.ClaimMissed(aMinute, time.Second)
			return err
		})
		w.backlog(1, start.Add(time.Second)) // redeliveries are requested one at a time
		w.asked(m, "", start.Add(time.Minute))
		w.backlog(0, start.Add(time.Second))
		w.want(dev, plan(1, 1))
		w.backlog(1, start.Add(time.Second))
	}},
}

// prune deletes all rows older than a time, in small steps.
func (w *world) prune(before time.Time) int64 {
	w.Helper()
	var s store.Pruning
	for !s.Done {
		from := s
		w.update(func(tx *store.Tx) (err error) {
			s, err = tx.Upkeep.Prune(store.Horizon{Deliveries: before, Signals: before, Facts: before, Audit: before}, from, 2)
			return err
		})
	}
	return s.Gone
}

const year = 365 * 24 * time.Hour

// wound schedules the audit and discovery clocks of the server a year from now.
func (w *world) wound() {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		for _, name := range []string{store.ClockAudit, store.ClockDiscovery} {
			c, err := tx.Clocks.TakeClock(name, 0, time.Minute)
			w.NoError(err)
			w.NoError(tx.Clocks.ClockDone(&c, tx.Now, tx.Now.Add(year)))
		}
		return nil
	})
}

func (w *world) backlog(want int64, next time.Time) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		n, at, err := tx.Upkeep.Backlog()
		w.Equal(want, n)
		w.Equal(next, at)
		return err
	})
}

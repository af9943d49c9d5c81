package store_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"waybill/store"
)

func TestDue(t *testing.T) { prove(t, due) }

var due = []test{
	{"nothing is due, and nothing will be by itself", func(w *world) {
		w.isDue(false, time.Time{})
	}},
	{"a row that waits is due, one that is worked on when its lease runs out, one that has ended never", func(w *world) {
		w.accept("g1", "body")
		w.isDue(true, time.Time{})
		d := w.claimDelivery()
		w.isDue(false, w.clock.now.Add(time.Minute))
		w.clock.advance(time.Minute)
		w.isDue(true, time.Time{})
		d = w.claimDelivery()
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
		w.clock.advance(time.Minute)
		w.isDue(false, time.Time{})
	}},
	{"a row that is tried again is due at that time", func(w *world) {
		w.accept("g1", "body")
		d, later := w.claimDelivery(), w.clock.now.Add(time.Hour)
		w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "502", later) })
		w.isDue(false, later)
		w.clock.advance(time.Hour)
		w.isDue(true, time.Time{})
	}},
}

func TestDeliveriesBehindOneOfTheirRepositoryAreNotDue(t *testing.T) {
	w := newWorld(t)
	w.acceptOf("acme/api", "a0")
	w.acceptOf("acme/api", "a1")
	d := w.claimDelivery()
	w.isDue(false, w.clock.now.Add(time.Minute))
	w.acceptOf("acme/web", "w0")
	w.isDue(true, time.Time{})
	web := w.claimDelivery()
	w.Equal("w0", web.GUID)
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	w.isDue(true, time.Time{})
	w.Equal("a1", w.claimDelivery().GUID)
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(web) })
	w.acceptOf("acme/api", "a2")
	w.isDue(false, w.clock.now.Add(time.Minute))
	w.clock.advance(time.Minute) // the lease of a1 runs out
	w.isDue(true, time.Time{})
}

// TestALeaseThatHasRunOutIsNoTimeToWaitFor: a command waits behind a webhook that was claimed after it, and its own
// lease runs out first. A worker that was told to come back at that time would do so without a pause.
func TestALeaseThatHasRunOutIsNoTimeToWaitFor(t *testing.T) {
	w := newWorld(t)
	_, err := w.store.Accept(t.Context(), store.Delivery{Source: "api", GUID: "c", Event: "command", Repo: "acme/api"})
	w.NoError(err)
	w.Equal("c", w.claimDelivery().GUID)
	w.clock.advance(30 * time.Second)
	w.acceptOf("acme/api", "a0")
	w.Equal("a0", w.claimDelivery().GUID)
	w.clock.advance(30 * time.Second) // the lease of the command runs out
	w.acceptOf("acme/api", "a1")
	some, next, err := w.store.Due(t.Context(), store.Deliveries)
	w.NoError(err)
	w.True(some || next.After(w.clock.now), "%t, %s", some, next)
}

// due reports whether work of a kind is due.
func (w *world) due(of store.Work) bool {
	w.Helper()
	some, _, err := w.store.Due(context.Background(), of)
	w.NoError(err)
	return some
}

// isDue requires whether deliveries are due, and when one is next.
func (w *world) isDue(want bool, soonest time.Time) {
	w.Helper()
	some, next, err := w.store.Due(context.Background(), store.Deliveries)
	w.NoError(err)
	w.Equal(want, some)
	w.Equal(soonest, next)
}

func TestALookIsMadeOnlyAfterSomethingWasWrittenOrItsTimeHasCome(t *testing.T) {
	var heard atomic.Int64
	w := newWorldWith(t, store.Options{Heard: func(string) { heard.Add(1) }})
	looks := func(want bool) {
		w.Helper()
		before := heard.Load()
		w.due(store.Deliveries)
		w.Equal(want, heard.Load() > before)
	}
	looks(true)
	looks(false)
	w.update(func(tx *store.Tx) error { return tx.Stages.Touch(store.StageKey{Pipeline: pipeline, Stage: dev}) })
	looks(false)
	w.accept("g1", "body")
	looks(true)
	looks(true)            // something is due
	d := w.claimDelivery() // the only one
	looks(false)
	w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "502", w.clock.now.Add(30*time.Second)) })
	looks(true)
	looks(false)
	w.clock.advance(30 * time.Second)
	looks(true)
	d = w.claimDelivery()
	w.accept("g2", "body")
	w.accept("g3", "body")
	looks(true)
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	looks(true)
	d = w.claimDelivery()
	looks(true) // it was one of two
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	looks(true)
	d = w.claimDelivery()
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	looks(false)
	w.clock.advance(time.Minute) // so that a file that has been damaged is noticed
	looks(true)

	undecided := func(looked, found bool) {
		w.Helper()
		before := heard.Load()
		key, _, err := w.store.NextUndecided(t.Context(), store.StageKey{}, false)
		w.NoError(err)
		w.Equal(looked, heard.Load() > before)
		w.Equal(found, key.Stage != "")
	}
	w.settle()
	undecided(true, false)
	undecided(false, false)
	w.update(func(tx *store.Tx) error { return tx.Stages.Touch(store.StageKey{Pipeline: pipeline, Stage: dev}) })
	undecided(true, true)
}

func TestStoresThatShareAFileLookEachTime(t *testing.T) {
	var heard atomic.Int64
	w := newWorldWith(t, store.Options{Shared: true, Heard: func(string) { heard.Add(1) }})
	for range 3 {
		before := heard.Load()
		w.False(w.due(store.Deliveries))
		w.Greater(heard.Load(), before)
	}
}

package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestInbox(t *testing.T) { prove(t, inbox) }

var inbox = []test{
	{"the same delivery three times is handled once (F3, T20)", func(w *world) {
		w.True(w.accept("g1", "body"))
		w.False(w.accept("g1", "body"))
		d := w.claimDelivery()
		w.Equal("github:g1", d.ID)
		w.Equal("body", string(d.Body))
		w.Nil(w.claimDelivery(), "it is being handled")
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
		w.False(w.accept("g1", "body"))
		w.clock.advance(time.Hour)
		w.Nil(w.claimDelivery(), "it has been handled")
	}},
	{"the same GUID with another body is refused and noted (T20)", func(w *world) {
		w.True(w.accept("g1", "body"))
		_, err := w.store.Accept(context.Background(), store.Delivery{Source: "github", GUID: "g1", Body: []byte("forged")})
		w.ErrorIs(err, store.ErrDifferentPayload)
		w.Equal("altered-delivery", w.serverEvents()[0].Word)
		w.Equal("body", string(w.claimDelivery().Body))
	}},
	{"a delivery that tells nothing is known, without its body, and waits for nobody", func(w *world) {
		idle := store.Delivery{Source: "github", GUID: "g1", Event: "issue_comment", Body: []byte("body"), Idle: true}
		fresh, err := w.store.Accept(context.Background(), idle)
		w.NoError(err)
		w.True(fresh)
		w.Nil(w.claimDelivery())
		w.view(func(tx *store.Tx) error {
			d, err := tx.Inbox.Delivery("github:g1")
			w.Equal(store.DeliveryHandled, d.State)
			w.Empty(d.Body)
			return err
		})
		fresh, err = w.store.Accept(context.Background(), idle)
		w.NoError(err)
		w.False(fresh)
		w.Nil(w.claimDelivery())
		idle.Body = []byte("forged")
		_, err = w.store.Accept(context.Background(), idle)
		w.ErrorIs(err, store.ErrDifferentPayload)
	}},
	{"deliveries are handled in the order in which they came, though the clock stands still", func(w *world) {
		for i := range 5 {
			w.accept(fmt.Sprintf("%c", 'e'-i), "body")
		}
		for i := range 5 {
			w.Equal(fmt.Sprintf("%c", 'e'-i), w.handleNext().GUID)
		}
	}},
	{"repositories take turns, and each keeps its order", func(w *world) {
		for i := range 4 {
			w.acceptOf("acme/noisy", fmt.Sprint("n", i))
		}
		w.acceptOf("", "app")
		w.acceptOf("zoe/quiet", "q0")
		w.acceptOf("acme/api", "a0")
		w.acceptOf("acme/api", "a1")
		w.Equal([]string{"a0", "n0", "q0", "app", "a1", "n1", "n2", "n3"}, w.turns())
	}},
	{"a delivery that has to wait keeps no other waiting, and takes its turn afterwards", func(w *world) {
		w.acceptOf("acme/api", "a0")
		w.acceptOf("acme/api", "a1")
		d := w.claimDelivery()
		w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "502", tx.Now.Add(time.Minute)) })
		w.acceptOf("acme/api", "a2")
		w.Equal([]string{"a1", "a2"}, w.turns())
		w.clock.advance(time.Minute)
		w.Equal("a0", w.claimDelivery().GUID)
	}},
	{"what is not the fault of a delivery never parks it", func(w *world) {
		w.accept("g1", "body")
		for range 20 {
			d := w.claimDelivery()
			w.NotNil(d)
			w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "502", tx.Now) })
		}
		w.Empty(w.parked())
	}},
	{"a clock that is set back keeps no delivery waiting", func(w *world) {
		w.accept("g1", "body")
		w.clock.advance(-time.Hour)
		w.accept("g2", "body")
		w.Equal([]string{"g1", "g2"}, w.turns())
	}},
	{"a delivery that failed is tried again later, and parked in the end", func(w *world) {
		w.accept("g1", "body")
		for try := 1; try <= 3; try++ {
			d := w.claimDelivery()
			w.Equal(try, d.Attempts)
			w.fail(d, try == 3)
			w.Nil(w.claimDelivery(), "not before its time")
			w.clock.advance(time.Minute)
		}
		w.Nil(w.claimDelivery(), "parked")
		w.Equal("GitHub is down", w.parked()[0].Error)
	}},
	{"a delivery that failed or was parked is tried at once when it comes again (T20)", func(w *world) {
		w.accept("g1", "body")
		w.fail(w.claimDelivery(), false)
		w.False(w.accept("g1", "body"))
		d := w.claimDelivery()
		w.NotNil(d)
		w.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(d, "no good") })
		w.False(w.accept("g1", "body"))
		w.Equal(1, w.claimDelivery().Attempts)
	}},
	{"a worker that has handled a delivery takes the next of its repository", func(w *world) {
		for _, guid := range []string{"g1", "g2", "g3"} {
			w.accept(guid, "body")
		}
		first := w.claimDelivery()
		second := w.behind(first, 1)[0]
		w.Equal("g2", second.GUID)
		w.Equal(1, second.Attempts)
		w.Nil(w.claimDelivery(), "one of a repository at a time")
		w.fail(second, false)
		w.Nil(w.behind(w.claimDelivery(), 1), "one that has failed waits for its turn")
		w.clock.advance(time.Hour)
		w.Equal(second.GUID, w.claimDelivery().GUID)
	}},
	{"reports on checks and statuses that wait in one repository are taken together", func(w *world) {
		w.acceptReport("status", "", "failed")
		w.fail(w.claimDelivery(), false)
		for _, r := range [][2]string{{"push", ""}, {"status", ""}, {"pull_request", "opened"}, {"check_run", "created"},
			{"check_run", "rerequested"}, {"check_suite", "completed"}, {"status", ""}} {
			w.acceptReport(r[0], r[1], r[0]+r[1])
			w.acceptReport(r[0], r[1], r[0]+r[1]+"2")
		}
		w.acceptOf("acme/web", "elsewhere")
		first := w.claimDelivery()
		w.Equal("push", first.GUID)
		next := w.behind(first, 3)
		w.Equal([]string{"push2"}, guids(next), "no report")
		next = w.behind(next[0], 3)
		w.Equal([]string{"status", "status2", "check_runcreated"}, guids(next), "no more than there is room for")
		w.Nil(w.behind(next[0], 3), "others of the repository are leased")
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(next[1]) })
		next = w.behind(next[2], 1)
		w.Equal([]string{"pull_requestopened"}, guids(next))
		next = w.behind(next[0], 9)
		w.Equal([]string{"pull_requestopened2"}, guids(next))
		next = w.behind(next[0], 9)
		w.Equal([]string{"check_runcreated2", "check_suitecompleted", "check_suitecompleted2"}, guids(next),
			"none that was tried, or that asks for something")
	}},
	{"nothing is claimed behind a delivery that has not ended", func(w *world) {
		w.accept("g1", "body")
		w.accept("g2", "body")
		first := w.claimDelivery()
		w.update(func(tx *store.Tx) error {
			none, err := tx.Inbox.ClaimNext(first, 1, aMinute)
			w.Nil(none)
			return err
		})
	}},
	{"a delivery whose handler has died is claimed again when its lease is over", func(w *world) {
		w.accept("g1", "body")
		w.claimDelivery()
		w.clock.advance(59 * time.Second)
		w.Nil(w.claimDelivery())
		w.clock.advance(time.Second)
		w.Equal(2, w.claimDelivery().Attempts)
	}},
	{"who looks for a delivery in vain learns when to look again", func(w *world) {
		w.accept("g1", "body")
		w.claimDelivery()
		w.update(func(tx *store.Tx) error {
			_, wake, err := tx.Inbox.ClaimDelivery(aMinute)
			w.Equal(start.Add(time.Minute), wake)
			return err
		})
	}},
	{"what has been handled is listed, newest first, from one on", func(w *world) {
		for _, guid := range []string{"g1", "g2", "g3"} {
			w.accept(guid, "body")
			w.NotNil(w.handleNext())
		}
		w.accept("g4", "body")
		w.view(func(tx *store.Tx) error {
			all, err := tx.Inbox.DeliveriesBefore(store.DeliveryHandled, 0, 2)
			w.Equal([]string{"g3", "g2"}, []string{all[0].GUID, all[1].GUID})
			rest, err2 := tx.Inbox.DeliveriesBefore(store.DeliveryHandled, all[1].Seq, 2)
			w.NoError(err2)
			w.Equal("g1", rest[0].GUID)
			w.Len(rest, 1)
			return err
		})
	}},
	{"a parked delivery can be looked at and replayed", func(w *world) {
		w.accept("g1", "body")
		parked := w.claimDelivery()
		id := parked.ID
		w.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(parked, "no good") })
		w.update(func(tx *store.Tx) error { return tx.Inbox.ReplayDelivery(id) })
		w.view(func(tx *store.Tx) error {
			d, err := tx.Inbox.Delivery(id)
			w.Equal(store.DeliveryWaiting, d.State)
			w.Equal("body", string(d.Body))
			return err
		})
		w.Equal(id, w.claimDelivery().ID)
	}},
	{"what is not being handled cannot be finished", func(w *world) {
		w.accept("g1", "body")
		err := w.store.Update(context.Background(), func(tx *store.Tx) error {
			d, err := tx.Inbox.Delivery("github:g1")
			w.NoError(err)
			return tx.Inbox.DeliveryHandled(&d)
		})
		w.ErrorIs(err, store.ErrLeaseLost)
	}},
	{"what is replayed while it is handled is handled once more", func(w *world) {
		w.accept("g1", "body")
		d := w.claimDelivery()
		w.update(func(tx *store.Tx) error { return tx.Inbox.ReplayDelivery(d.ID) })
		w.Nil(w.claimDelivery(), "it is being handled")
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
		w.NotNil(w.handleNext())
		w.Nil(w.claimDelivery())
	}},
	{"what came from Slack or over the API goes before webhooks, because a person waits for the answer", func(w *world) {
		w.acceptOf("", "app")
		_, err := w.store.Accept(context.Background(), store.Delivery{Source: "api", GUID: "call", Event: "command"})
		w.NoError(err)
		w.Equal([]string{"call", "app"}, w.turns())
	}},
	{"of a repository one delivery is handled at a time", func(w *world) {
		w.acceptOf("acme/api", "a0")
		w.acceptOf("acme/api", "a1")
		w.acceptOf("acme/web", "w0")
		first := w.claimDelivery()
		w.Equal("a0", first.GUID)
		w.Equal("w0", w.claimDelivery().GUID)
		w.Nil(w.claimDelivery())
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(first) })
		w.Equal("a1", w.claimDelivery().GUID)
	}},
}

func (w *world) accept(guid, body string) bool {
	w.Helper()
	fresh, err := w.store.Accept(context.Background(),
		store.Delivery{Source: "github", GUID: guid, Event: "push", Body: []byte(body)})
	w.NoError(err)
	return fresh
}

func (w *world) claimDelivery() (d *store.Delivery) {
	w.Helper()
	due := w.due(store.Deliveries)
	d, _, err := w.store.ClaimDelivery(context.Background(), aMinute)
	w.NoError(err)
	w.True(due || d == nil, "work that is claimed was due")
	return d
}

// handleNext claims a delivery and marks it as handled.
func (w *world) handleNext() *store.Delivery {
	w.Helper()
	d := w.claimDelivery()
	if d != nil {
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	}
	return d
}

// acceptOf accepts a delivery of a repository.
func (w *world) acceptOf(repo promotion.Repo, guid string) {
	w.Helper()
	_, err := w.store.Accept(context.Background(), store.Delivery{Source: "github", GUID: guid, Event: "push", Repo: repo})
	w.NoError(err)
}

// turns handles deliveries until none is left.
// acceptReport accepts a delivery of an event.
func (w *world) acceptReport(event, action, guid string) {
	_, err := w.store.Accept(context.Background(), store.Delivery{
		Source: "github", GUID: guid, Repo: "acme/api", Event: event, Action: action,
	})
	w.NoError(err)
}

// behind handles a delivery, and takes what waits next in its repository, so many reports at most.
func (w *world) behind(d *store.Delivery, most int) (next []*store.Delivery) {
	w.update(func(tx *store.Tx) (err error) {
		if err = tx.Inbox.DeliveryHandled(d); err == nil {
			next, err = tx.Inbox.ClaimNext(d, most, aMinute)
		}
		return err
	})
	return next
}

func guids(all []*store.Delivery) (guids []string) {
	for _, d := range all {
		guids = append(guids, d.GUID)
	}
	return guids
}

func (w *world) turns() (guids []string) {
	w.Helper()
	for d := w.handleNext(); d != nil; d = w.handleNext() {
		guids = append(guids, d.GUID)
	}
	return guids
}

func (w *world) fail(d *store.Delivery, parks bool) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		parked, err := tx.Inbox.DeliveryFailed(d, "GitHub is down", tx.Now.Add(time.Minute))
		w.Equal(parks, parked)
		return err
	})
}

func (w *world) parked() (all []store.Delivery) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		all, err = tx.Inbox.DeliveriesBefore(store.DeliveryParked, 0, 10)
		return err
	})
	return all
}

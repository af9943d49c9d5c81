package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestCensus(t *testing.T) { prove(t, census) }

func (w *world) census() (c store.Census) {
	w.view(func(tx *store.Tx) (err error) {
		c, err = tx.Upkeep.Census()
		return err
	})
	return c
}

var census = []test{
	{"a database at rest has nothing that waits", func(w *world) {
		c := w.census()
		for _, name := range []string{"deliveries", "effects", "views", "missed"} {
			w.Equal(store.Waiting{}, c.Queues[name], name)
		}
		w.Zero(c.Undecided)
		w.Empty(c.Promotions)
		w.Empty(c.Holds)
	}},
	{"what is due counts, and what failed waits for its next try since it came", func(w *world) {
		began := w.clock.Now()
		w.show("a")
		w.clock.advance(time.Minute)
		w.Equal(store.Waiting{Due: 1, Oldest: began}, w.census().Queues["views"])
		v := w.claimView()
		w.update(func(tx *store.Tx) error { return tx.Views.RetryView(v, "502", tx.Now.Add(time.Hour)) })
		waits := w.census().Queues["views"]
		w.Equal(1, waits.Due)
		w.Equal(1, waits.Failed)
		w.clock.advance(time.Hour)
		w.NotNil(w.claimView())
		w.showed("a")
		w.Equal(store.Waiting{}, w.census().Queues["views"])
	}},
	{"what is only due later does not count", func(w *world) {
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(store.View{
				Surface: comment, Pipeline: pipeline, Kind: "comment", Wanted: "a", Due: tx.Now.Add(time.Minute),
			})
			return err
		})
		w.Equal(store.Waiting{}, w.census().Queues["views"])
	}},
	{"a parked delivery is parked, and does not wait", func(w *world) {
		_, err := w.store.Accept(w.Context(), store.Delivery{
			Source: "github", GUID: "g1", Event: "push", Body: []byte("{}"), Received: w.clock.Now(),
		})
		w.NoError(err)
		received := w.clock.Now()
		w.clock.advance(time.Second)
		w.Equal(store.Waiting{Due: 1, Oldest: received}, w.census().Queues["deliveries"])
		var d *store.Delivery
		w.update(func(tx *store.Tx) (err error) {
			d, _, err = tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Minute})
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(d, "no") })
		w.Equal(store.Waiting{Parked: 1}, w.census().Queues["deliveries"])
	}},
	{"undecided stages count, and among them those that are left alone", func(w *world) {
		key := store.StageKey{Pipeline: pipeline, Stage: dev}
		w.update(func(tx *store.Tx) error { return tx.Stages.Touch(key) })
		w.Equal(1, w.census().Undecided)
		w.Zero(w.census().Postponed)
		w.update(func(tx *store.Tx) error { return tx.Stages.Postpone(key, tx.Now.Add(time.Minute)) })
		w.Equal(1, w.census().Postponed)
	}},
	{"the database has a size", func(w *world) {
		size, err := w.store.Size(w.Context())
		w.NoError(err)
		w.Positive(size)
	}},
	{"promotions that have not ended count by state, holds by who holds", func(w *world) {
		w.apply(dev, promotion.Decision{Holds: []promotion.Hold{
			{ID: 1, Stage: dev, By: promotion.Actor{ID: 5, Login: "ann"}, At: w.clock.Now()},
			{ID: 2, Stage: dev, At: w.clock.Now()},
			{ID: 3, Stage: dev, By: promotion.Actor{ID: 5, Login: "ann"}, At: w.clock.Now(),
				Until: w.clock.Now().Add(time.Minute)},
		}})
		w.Equal(map[string]int{"person": 2, "waybill": 1}, w.census().Holds)
		w.clock.advance(time.Minute)
		w.Equal(map[string]int{"person": 1, "waybill": 1}, w.census().Holds)
	}},
}

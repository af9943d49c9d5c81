package store_test

import (
	"context"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// opening is an effect that makes a pull request.
func opening(n promotion.Number) promotion.Effect {
	return promotion.Effect{Verb: promotion.Open, Stage: dev, Promotion: n, Round: 1}
}

func TestContent(t *testing.T) {
	for _, test := range content {
		t.Run(test.claim, func(t *testing.T) {
			test.prove(newWorldWith(t, store.Options{Content: store.ContentPace{PerMinute: 2, PerHour: 4}}))
		})
	}
}

var content = []test{
	{"no more is made in any minute, nor in any hour", func(w *world) {
		for _, at := range []time.Duration{0, 59 * time.Second, time.Minute, 2 * time.Minute} {
			w.clock.advance(start.Add(at).Sub(w.clock.Now()))
			w.Zero(w.made(), at)
		}
		w.Equal(58*time.Minute, w.made(), "the first leaves the hour")
		w.clock.advance(58 * time.Minute)
		w.Zero(w.made())
		w.Equal(59*time.Second, w.made(), "the second does")
	}},
	{"what was made at the end of a minute counts in the next", func(w *world) {
		w.clock.advance(59 * time.Second)
		w.Zero(w.made())
		w.Zero(w.made())
		w.clock.advance(time.Second)
		w.Equal(59*time.Second, w.made())
	}},
	{"content that is being made counts until it is known when it was", func(w *world) {
		w.Zero(w.take(context.Background()))
		w.Zero(w.take(context.Background()))
		w.clock.advance(time.Minute)
		w.NotZero(w.take(context.Background()))
		w.clock.advance(time.Minute)
		w.Zero(w.take(context.Background()))
	}},
	{"a promotion says what it waits for besides its pipeline", func(w *world) {
		delayed := func() (d promotion.Delay) {
			w.view(func(tx *store.Tx) (err error) {
				d, err = tx.Outbox.Delayed(pipeline, 1)
				return err
			})
			return d
		}
		w.made()
		w.made()
		w.want(dev, opening(1))
		w.Zero(delayed(), "nobody has tried yet")
		e := w.claim()
		w.NotZero(w.take(store.Holding(context.Background(), e.Lease)))
		w.await(e)
		w.Equal(promotion.Delay{Content: true, Until: start.Add(time.Minute)}, delayed())
		shut := func(g store.Gate) {
			w.update(func(tx *store.Tx) error { return tx.Upkeep.Shut(3, g) })
		}
		shut(store.Gate{Until: start.Add(time.Hour)})
		w.Equal(promotion.Delay{Shut: true, Until: start.Add(time.Hour)}, delayed())
		shut(store.Gate{Until: start.Add(time.Hour), Scarce: true})
		w.True(delayed().Content, "what is pressing goes on")
		shut(store.Gate{Until: start, Lasting: true})
		w.True(delayed().Shut)
		w.clock.advance(2 * time.Hour)
		w.True(delayed().Shut, "it lasts")
	}},
	{"another installation has content of its own", func(w *world) {
		w.made()
		w.made()
		w.NotZero(w.made())
		wait, err := w.store.TakeContent(context.Background(), 4)
		w.NoError(err)
		w.Zero(wait)
	}},
	{"none is made as long as GitHub wants no more", func(w *world) {
		ctx := w.leaseOf(opening(1))
		w.Zero(w.take(ctx))
		w.NoError(w.store.MadeContent(ctx, 3, 15*time.Minute))
		w.Equal(15*time.Minute, w.made())
		w.clock.advance(15 * time.Minute)
		w.Zero(w.made())
	}},
	{"the end of a promotion has room beyond that of others", func(w *world) {
		w.made()
		w.made()
		w.want(dev, opening(1))
		e := w.claim()
		w.NotZero(w.take(store.Holding(context.Background(), e.Lease)))
		w.await(e)
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{closing(2), closing(3), closing(4)}})
		for range 2 {
			e := w.claim()
			w.Zero(w.take(store.Holding(context.Background(), e.Lease)))
			w.finish(e)
		}
		e = w.claim()
		w.NotZero(w.take(store.Holding(context.Background(), e.Lease)))
		w.await(e)
		w.Nil(w.claim())
		w.clock.advance(time.Minute)
		w.Equal(promotion.Number(4), w.claim().Promotion)
	}},
	{"an effect that waits is claimed when there is room for it, and not before; waiting is no attempt", func(w *world) {
		w.wound()
		w.resynced()
		w.made()
		w.made()
		w.want(dev, opening(1))
		w.await(w.claim())
		w.want(dev, opening(1))
		w.Nil(w.claim())
		w.backlog(0, start.Add(time.Minute))
		w.clock.advance(time.Minute)
		e := w.claim()
		w.Equal(1, e.Attempts)
		w.Zero(w.take(store.Holding(context.Background(), e.Lease)), "it was counted with the claim")
	}},
	{"of many that wait, as many are claimed as there is room for", func(w *world) {
		w.made()
		w.made()
		all := []promotion.Effect{opening(1), opening(2), opening(3)}
		w.want(dev, all...)
		for _, e := range []*store.Effect{w.claim(), w.claim(), w.claim()} {
			w.await(e)
			w.want(dev, all...)
		}
		w.clock.advance(time.Minute)
		w.NotNil(w.claim())
		w.NotNil(w.claim())
		w.Nil(w.claim())
	}},
	{"the end of a promotion goes before others, promotions before words, and those before what shows", func(w *world) {
		w.made()
		w.made()
		w.apply(dev, promotion.Decision{
			Wanted: []promotion.Effect{opening(1)}, Effects: []promotion.Effect{tell(2), closing(3)},
		})
		w.show("a")
		claimed := []*store.Effect{w.claim(), w.claim(), w.claim()}
		for _, e := range claimed {
			w.await(e)
		}
		w.apply(dev, promotion.Decision{Wanted: []promotion.Effect{opening(1)}})
		w.update(func(tx *store.Tx) error {
			v, _, err := tx.Views.ClaimView(aMinute)
			w.NotNil(v)
			if err != nil {
				return err
			}
			return tx.Views.AwaitContent(v, "full", store.NoContent{Installation: 3})
		})
		w.clock.advance(time.Minute)
		w.NotZero(w.take(context.Background()), "who comes now waits behind them")
		w.Nil(w.claimView())
		var ended []*store.Effect
		for _, verb := range []promotion.Verb{promotion.Close, promotion.Open} {
			e := w.claim()
			w.Equal(verb, e.Verb)
			ended = append(ended, e)
		}
		w.Nil(w.claim())
		for _, e := range ended {
			w.finish(e)
		}
		w.clock.advance(time.Hour)
		w.Equal(promotion.Tell, w.claim().Verb)
		w.Nil(w.claimView(), "words have their share of a minute")
		w.clock.advance(2 * time.Minute)
		w.NotNil(w.claimView())
	}},
	{"words and what shows leave a third to promotions, however many there are", func(w *world) {
		for n := range promotion.Number(3) {
			e := w.owed(tell(n + 1))
			wait := w.take(store.Holding(context.Background(), e.Lease))
			w.Equal(n == 2, wait > 0, "two an hour, of four")
			if wait > 0 {
				w.await(e)
			} else {
				w.finish(e)
			}
			w.clock.advance(2 * time.Minute)
		}
		w.show("a")
		v := w.claimView()
		w.NotNil(v)
		w.NotZero(w.take(store.Holding(context.Background(), v.Lease)))
		for n := range promotion.Number(2) {
			w.Zero(w.take(w.leaseOf(opening(n + 10))))
			w.clock.advance(2 * time.Minute)
		}
		w.NotZero(w.take(w.leaseOf(opening(12))), "all of the hour is used")
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{closing(20)}})
		w.Zero(w.take(store.Holding(context.Background(), w.claim().Lease)), "but for what is urgent")
	}},
	{"promotions take from words what is left of an hour", func(w *world) {
		for range 4 {
			w.Zero(w.made())
			w.clock.advance(time.Minute)
		}
		w.NotZero(w.take(store.Holding(context.Background(), w.owed(tell(1)).Lease)))
	}},
}

// take asks for the content of installation 3, and returns how long that has to wait.
func (w *world) take(ctx context.Context) time.Duration {
	w.Helper()
	wait, err := w.store.TakeContent(ctx, 3)
	w.NoError(err)
	return wait
}

// made makes a piece of content at once, if there is room for it.
func (w *world) made() (wait time.Duration) {
	w.Helper()
	d := w.delivered()
	ctx := store.Holding(context.Background(), d.Lease)
	if wait = w.take(ctx); wait == 0 {
		w.NoError(w.store.MadeContent(ctx, 3, 0))
	}
	w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	return wait
}

// delivered claims a new delivery, for its lease.
func (w *world) delivered() *store.Delivery {
	w.Helper()
	w.accept(w.clock.Now().String()+time.Now().String(), "{}")
	return w.claimDelivery()
}

// leaseOf returns a context with the lease of an effect.
func (w *world) leaseOf(e promotion.Effect) context.Context {
	w.Helper()
	w.want(dev, e)
	return store.Holding(context.Background(), w.claim().Lease)
}

// owed claims an effect that is owed.
func (w *world) owed(e promotion.Effect) *store.Effect {
	w.Helper()
	w.apply(dev, promotion.Decision{Effects: []promotion.Effect{e}})
	return w.claim()
}

// await has an effect wait for content.
func (w *world) await(e *store.Effect) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Outbox.AwaitContent(e, "full", store.NoContent{Installation: 3}) })
}

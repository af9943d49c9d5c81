package store_test

import (
	"context"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func plan(n promotion.Number, round int64) promotion.Effect {
	return promotion.Effect{Verb: promotion.PlanVerb, Stage: dev, Promotion: n, Round: round}
}

func merge(stage promotion.StageName, n promotion.Number) promotion.Effect {
	return promotion.Effect{Verb: promotion.Merge, Stage: stage, Promotion: n, Round: 1}
}

func tell(n promotion.Number) promotion.Effect {
	return promotion.Effect{Verb: promotion.Tell, Stage: dev, Promotion: n, Freight: "f", Outcome: "failed",
		Reason: promotion.Because(promotion.Refused)}
}

func closing(n promotion.Number) promotion.Effect {
	return promotion.Effect{Verb: promotion.Close, Stage: dev, Promotion: n}
}

func TestEffects(t *testing.T) { prove(t, effects) }

var effects = []test{
	{"what is wanted is due until it is no longer wanted, and again when it is", func(w *world) {
		w.want(dev, plan(1, 1))
		w.want(dev)
		w.Nil(w.claim())
		w.want(dev, plan(1, 1))
		w.Equal(plan(1, 1), w.claim().Effect)
	}},
	{"wanting something twice makes it happen once", func(w *world) {
		w.want(dev, plan(1, 1))
		w.want(dev, plan(1, 1))
		w.finish(w.claim())
		w.want(dev, plan(1, 1))
		w.Nil(w.claim())
	}},
	{"what has begun is not withdrawn", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.want(dev)
		w.finish(e)
		w.Equal(store.EffectDone, w.effectsOf(1)[0].State)
	}},
	{"a merge that is tried again is decided about once more, so that a hold which came meanwhile stops it (T31)",
		func(w *world) {
			w.want(dev, merge(dev, 1))
			e := w.claim()
			w.want(dev)
			w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
			w.Nil(w.claim())
			w.want(dev)
			w.Nil(w.claim())
		}},
	{"a merge whose worker has died is withdrawn by a hold, too, and its next worker is told (T31)", func(w *world) {
		w.want(dev, merge(dev, 1))
		e := w.claim()
		w.False(e.Withdrawn)
		w.want(dev)
		w.clock.advance(time.Minute)
		again := w.claim()
		w.Equal(e.Key(), again.Key(), "it may have happened")
		w.True(again.Withdrawn)
		w.True(w.withdrawn(again))
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(again, "not at this moment", tx.Now) })
		w.want(dev)
		w.clock.advance(time.Hour)
		w.Nil(w.claim())
		w.want(dev, merge(dev, 1))
		w.False(w.claim().Withdrawn)
	}},
	{"what an effect has brought is known to who tries the rest", func(w *world) {
		w.want(dev, merge(dev, 1))
		e := w.claim()
		w.update(func(tx *store.Tx) error { return tx.Outbox.NoteResult(e, "answered") })
		w.clock.advance(time.Minute)
		w.Equal("answered", w.claim().Result)
	}},
	{"a merge that is wanted again while it is being tried is not withdrawn", func(w *world) {
		w.want(dev, merge(dev, 1))
		e := w.claim()
		w.want(dev)
		w.True(w.withdrawn(e))
		w.want(dev, merge(dev, 1))
		w.False(w.withdrawn(e))
		w.want(dev)
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
		w.want(dev, merge(dev, 1))
		e = w.claim()
		w.False(e.Withdrawn)
		w.finish(e)
		w.Equal(store.EffectDone, w.effectsOf(1)[0].State)
	}},
	{"what GitHub refuses is in the snapshot until it is done, and begins anew when it was withdrawn", func(w *world) {
		refused := promotion.Rejection{
			Promotion: 1, Verb: promotion.PlanVerb, Words: "no", Since: start, Again: start.Add(time.Second),
			Until: start.Add(time.Hour),
		}
		reject := func(e *store.Effect) {
			w.update(func(tx *store.Tx) error {
				if err := tx.Outbox.RejectEffect(e, refused); err != nil {
					return err
				}
				return tx.Outbox.RetryEffect(e, "no", refused.Again)
			})
			w.Equal([]promotion.Rejection{refused}, w.snapshot(dev).Rejections)
		}
		w.want(dev, plan(1, 1))
		reject(w.claim())
		w.clock.advance(time.Second)
		e := w.claim()
		w.Equal("no", e.Rejection.Words)
		w.Equal(refused.Until, e.Rejection.Until)
		w.Len(w.snapshot(dev).Rejections, 1, "while it is tried")
		w.update(func(tx *store.Tx) error { return tx.Outbox.RejectEffect(e, promotion.Rejection{}) })
		w.Empty(w.snapshot(dev).Rejections)
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
		refused.Again = w.clock.Now()
		reject(w.claim())
		w.want(dev)
		w.Empty(w.snapshot(dev).Rejections)
		w.want(dev, plan(1, 1))
		e = w.claim()
		w.Zero(e.Rejection)
		refused.Again = w.clock.Now()
		reject(e)
		w.finish(w.claim())
		w.Empty(w.snapshot(dev).Rejections)
		w.Equal([]string{dev}, w.undecided(), "people see that GitHub does not refuse it any more")
	}},
	{"what is owed happens, whatever is decided later, once", func(w *world) {
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{tell(1)}})
		w.want(dev)
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{tell(1)}})
		e := w.claim()
		w.Equal(tell(1), e.Effect)
		w.finish(e)
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{tell(1)}})
		w.Nil(w.claim())
	}},
	{"what is wanted by one stage leaves the effects of others alone", func(w *world) {
		w.want(dev, plan(1, 1))
		w.want(prod)
		w.NotNil(w.claim())
	}},
	{"the effects of a promotion are kept with their results", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
		e = w.claim()
		w.update(func(tx *store.Tx) error { return tx.Outbox.FinishEffect(e, "c1") })
		done := w.effectsOf(1)[0]
		w.Equal(2, done.Attempts)
		w.Equal("c1", done.Result)
		w.Empty(done.Error)
		w.Equal(start, done.Done)
	}},
}

func TestClaims(t *testing.T) { prove(t, claims) }

var claims = []test{
	{"an effect is claimed by one worker, and by another when its lease is over (F42)", func(w *world) {
		w.want(dev, plan(1, 1))
		w.Equal(1, w.claim().Attempts)
		w.Nil(w.claim())
		w.clock.advance(time.Minute)
		w.Equal(2, w.claim().Attempts, "it may have happened already: look it up first")
	}},
	{"an effect that did not work out is tried again when told to, or given up", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.update(func(tx *store.Tx) error {
			return tx.Outbox.RetryEffect(e, "502", tx.Now.Add(time.Second))
		})
		w.update(func(tx *store.Tx) error {
			none, wake, err := tx.Outbox.ClaimEffect(aMinute)
			w.Nil(none)
			w.Equal(start.Add(time.Second), wake)
			return err
		})
		w.clock.advance(time.Second)
		e = w.claim()
		w.Equal("502", e.Error)
		w.update(func(tx *store.Tx) error { return tx.Outbox.FailEffect(e, "forbidden") })
		w.clock.advance(time.Hour)
		w.Nil(w.claim())
		w.Equal(store.EffectFailed, w.effectsOf(1)[0].State)
	}},
	{"what is not claimed, or was taken over, cannot be finished (F42)", func(w *world) {
		w.want(dev, plan(1, 1))
		unclaimed := w.effectsOf(1)[0]
		lost := w.claim()
		w.clock.advance(time.Minute)
		w.NotNil(w.claim())
		for _, e := range []*store.Effect{&unclaimed, lost} {
			for _, end := range []func(tx *store.Tx) error{
				func(tx *store.Tx) error { return tx.Outbox.FinishEffect(e, "") },
				func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "", tx.Now) },
				func(tx *store.Tx) error { return tx.Outbox.FailEffect(e, "") },
			} {
				w.ErrorIs(w.store.Update(context.Background(), end), store.ErrLeaseLost)
			}
		}
	}},
	{"a worker whose lease is over writes nothing once another has the effect", func(w *world) {
		w.want(dev, plan(1, 1))
		held := store.Holding(context.Background(), w.claim().Lease)
		note := func(guid string) error {
			return w.store.Update(held, func(tx *store.Tx) error {
				return tx.Audit.Log(store.Event{Kind: store.EventAlert, Pipeline: pipeline, Word: guid})
			})
		}
		w.clock.advance(2 * time.Minute)
		w.NoError(note("kept"), "no other has it")
		w.NotNil(w.claim())
		w.ErrorIs(note("lost"), store.ErrLeaseLost)
		w.Len(w.events(), 1)
	}},
	{"a lease does not end because a clock is set", func(w *world) {
		steady := start
		w.store = open(w.T, store.Options{Clock: w.clock.Now, Steady: func() time.Time { return steady }})
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
		w.settle()
		w.want(dev, plan(1, 1))
		w.NotNil(w.claim())
		w.clock.advance(time.Hour)
		w.Nil(w.claim())
		steady = steady.Add(time.Minute)
		w.Equal(2, w.claim().Attempts)
	}},
	{"what is done to one promotion happens in the order of decision", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{closing(1)}})
		w.Nil(w.claim(), "the plan is still being made")
		w.finish(e)
		w.Equal(closing(1), w.claim().Effect)
	}},
	{"an effect that was given up does not keep those behind it waiting", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{closing(1)}})
		w.update(func(tx *store.Tx) error { return tx.Outbox.FailEffect(e, "forbidden") })
		w.NotNil(w.claim())
	}},
	{"what is said does not wait for what is done", func(w *world) {
		w.want(dev, plan(1, 1))
		w.claim()
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{tell(1)}})
		w.NotNil(w.claim())
	}},
	{"merges into one branch go one at a time", func(w *world) {
		w.want(dev, merge(dev, 1))
		w.want(prod, merge(prod, 2))
		e := w.claim()
		w.Nil(w.claim())
		w.finish(e)
		w.NotNil(w.claim())
	}},
	{"a merge whose worker has died is looked up before the next merge begins", func(w *world) {
		w.want(dev, merge(dev, 1))
		w.want(prod, merge(prod, 2))
		first := w.claim()
		w.clock.advance(time.Minute)
		w.Equal(first.Key(), w.claim().Key())
	}},
	{"a merge waits while its stage has something undecided, so that a hold stops it (T31)", func(w *world) {
		w.want(dev, merge(dev, 1))
		w.ask(hold(dev))
		w.Nil(w.claim())
		w.want(dev)
		w.Nil(w.claim(), "it is held")
		w.want(dev, merge(dev, 1))
		w.NotNil(w.claim())
	}},
	{"a merge waits while the time of its stage has come, so that a sign-off that is over brings nothing about", func(
		w *world) {
		w.apply(dev, promotion.Decision{Wanted: []promotion.Effect{merge(dev, 1)}, Wake: start.Add(time.Hour)})
		w.clock.advance(time.Hour)
		w.Nil(w.claim())
		w.want(dev)
		w.Nil(w.claim(), "it is not signed off any more")
		w.want(dev, merge(dev, 1))
		w.NotNil(w.claim())
	}},
	{"a merge that waits does not keep others waiting", func(w *world) {
		w.want(dev, merge(dev, 1))
		w.clock.advance(time.Second)
		w.want(prod, plan(2, 1))
		w.ask(hold(dev))
		w.Equal(promotion.PlanVerb, w.claim().Verb)
	}},
	{"a hold of the whole pipeline stops the merges of every stage (T31)", func(w *world) {
		w.want(prod, merge(prod, 1))
		w.ask(promotion.Request{Command: promotion.Command{Verb: promotion.CmdHold, All: true}, At: start})
		w.Nil(w.claim())
	}},
	{"a plan does not wait for what is undecided", func(w *world) {
		w.want(dev, plan(1, 1))
		w.ask(hold(dev))
		w.NotNil(w.claim())
	}},
}

// want applies a decision that wants only these effects.
func (w *world) want(stage string, wanted ...promotion.Effect) {
	w.Helper()
	w.apply(stage, promotion.Decision{Wanted: wanted})
}

func (w *world) claim() (e *store.Effect) {
	w.Helper()
	due := w.due(store.Effects)
	e, _, err := w.store.ClaimEffect(context.Background(), aMinute)
	w.NoError(err)
	w.True(due || e == nil, "work that is claimed was due")
	return e
}

// withdrawn reports whether an effect that is being tried is no longer wanted.
func (w *world) withdrawn(e *store.Effect) (is bool) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		is, err = tx.Outbox.Withdrawn(e)
		return err
	})
	return is
}

func (w *world) finish(e *store.Effect) {
	w.Helper()
	w.NotNil(e)
	w.update(func(tx *store.Tx) error { return tx.Outbox.FinishEffect(e, "") })
}

func (w *world) effectsOf(n promotion.Number) (all []store.Effect) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		all, err = tx.Outbox.EffectsOf(pipeline, n)
		return err
	})
	return all
}

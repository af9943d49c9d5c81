package store_test

import (
	"context"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

func TestNumbers(t *testing.T) { prove(t, numbers) }

var numbers = []test{
	{"two pipelines number alike, and nothing of one is taken for the other's", func(w *world) {
		w.found(quiet)
		here, there := key(dev), store.StageKey{Pipeline: quiet, Stage: dev}
		f := w.merge(1)
		w.update(func(tx *store.Tx) error {
			_, err := tx.Freight.Record(quiet, f)
			return err
		})
		for _, k := range []store.StageKey{here, there} {
			w.decideOn(k)
			w.decideOn(k)
		}
		for range 2 {
			e := w.claim()
			w.NotNil(e)
			w.Equal(promotion.EffectKey("plan/1/1"), e.Key())
			w.update(func(tx *store.Tx) error { return tx.Outbox.FinishEffect(e, "") })
		}
		w.update(func(tx *store.Tx) error {
			plan := promotion.Plan{Round: 1, Base: "b1", At: tx.Now, Problem: promotion.Because(promotion.Refused)}
			return tx.Plans.Save(quiet, 1, plan, nil)
		})
		w.NotContains(w.undecided(), dev)
		w.decideOn(there)
		w.view(func(tx *store.Tx) error {
			for k, state := range map[store.StageKey]promotion.State{here: promotion.Queued, there: promotion.Failed} {
				p, err := tx.Promotions.ByNumber(k.Pipeline, 1)
				w.NoError(err)
				w.Equal(state, p.State)
				a, err := tx.Attempts.Of(k.Pipeline, 1)
				w.NoError(err)
				w.Equal(state == promotion.Failed, a.Plan != nil)
			}
			_, err := tx.Promotions.ByNumber(noisy, 1)
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
	}},
	{"a decision whose numbers another stage has taken meanwhile is lost, and leaves nothing behind", func(w *world) {
		f := w.merge(1)
		first, second := w.basis(dev), w.basis(prod)
		hold := func(id int64) promotion.Hold {
			return promotion.Hold{ID: id, Stage: prod, Reason: promotion.Because(promotion.Asked), At: start}
		}
		w.applied(first, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, f)}})
		taken := promotion.Decision{Promotions: []promotion.Promotion{w.queued(prod, 1, f)}}
		w.ErrorIs(w.tryOn(second, taken), store.ErrConflict)
		w.Equal(1, w.promotions())
		again := w.basis(prod)
		w.Equal(promotion.Number(2), again.Next)
		w.Equal(int64(1), again.NextPlace, "each stage has a queue of its own")

		third := w.basis(dev)
		w.applied(again, promotion.Decision{Holds: []promotion.Hold{hold(1)}})
		w.ErrorIs(w.tryOn(third, promotion.Decision{Holds: []promotion.Hold{hold(1)}}), store.ErrConflict)
		w.Equal(int64(2), w.basis(dev).NextID)
	}},
	{"a stage that is locked is decided in one transaction", func(w *world) {
		f := w.merge(1)
		w.update(func(tx *store.Tx) error {
			w.NoError(tx.Ledger.Lock(key(dev)))
			b, err := tx.Ledger.Basis(w.pipeline, key(dev))
			w.NoError(err)
			return tx.Ledger.Apply(b, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, b.Next, f)}})
		})
		w.Equal(promotion.Number(2), w.basis(prod).Next)
	}},
	{"what is asked meanwhile takes no id of a decision", func(w *world) {
		b := w.basis(dev)
		w.ask(hold(prod))
		w.applied(b, promotion.Decision{Holds: []promotion.Hold{{ID: b.NextID, Stage: dev, At: start}}})
	}},
	{"a queue is in the order of queueing, whatever the numbers are", func(w *world) {
		late, early := w.queued(dev, 1, w.merge(1)), w.queued(dev, 2, w.merge(2))
		late.Place, early.Place = 2, 1
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{late, early}})
		s := w.snapshot(dev)
		w.Equal([]promotion.Number{2, 1}, []promotion.Number{s.Promotions[0].Number, s.Promotions[1].Number})
		w.Equal(int64(3), s.NextPlace)
	}},
	{"requests are counted in each pipeline", func(w *world) {
		w.found(quiet)
		var other int64
		first := w.ask(hold(prod))
		w.update(func(tx *store.Tx) (err error) {
			other, err = tx.Requests.Record(quiet, hold(prod))
			return err
		})
		w.Equal(first, other)
		w.Equal(first+1, w.ask(hold(prod)))
	}},
	{"what was refused before on a pull request counts, whichever pipeline it was asked of", func(w *world) {
		w.found(quiet)
		ask := func(pipeline int64, at time.Time) (r promotion.Request) {
			r = promotion.Request{
				Command: promotion.Command{Verb: promotion.CmdHold, Stage: prod}, By: promotion.Actor{ID: 5, Login: "ann"},
				PullRepo: "acme/api", Pull: 1, At: at, Surface: "acme/api#1",
			}
			w.update(func(tx *store.Tx) (err error) {
				r.ID, err = tx.Requests.Record(pipeline, r)
				return err
			})
			w.applyOf(store.StageKey{Pipeline: pipeline, Stage: prod}, promotion.Decision{
				Answered: []promotion.Answer{{Request: r.ID}},
				Effects: []promotion.Effect{{
					Verb: promotion.Reply, Stage: prod, Request: r.ID, Outcome: "refused", Surface: r.Surface,
				}},
			})
			e := w.claim()
			w.update(func(tx *store.Tx) error {
				return tx.Outbox.FinishEffect(e, e.Result+string(rune('a'+pipeline)))
			})
			return r
		}
		one, two := ask(pipeline, start), ask(quiet, start)
		three := ask(pipeline, start.Add(time.Second))
		w.view(func(tx *store.Tx) error {
			for i, r := range []struct {
				pipeline int64
				promotion.Request
			}{{pipeline, one}, {quiet, two}, {pipeline, three}} {
				before, err := tx.Requests.RepliedBefore(r.pipeline, r.Request, "refused", start.Add(-time.Hour))
				w.NoError(err)
				w.Len(before, i)
				nodes, err := tx.Requests.OutdatedBy(r.pipeline, r.Request, false)
				w.NoError(err)
				w.Len(nodes, i)
			}
			return nil
		})
		w.update(func(tx *store.Tx) error { return tx.Requests.ForgetOutdatedBy(quiet, two, false) })
		w.view(func(tx *store.Tx) error {
			nodes, err := tx.Requests.OutdatedBy(pipeline, three, false)
			w.Equal([]string{string(rune('a' + quiet))}, nodes)
			return err
		})
	}},
	{"a delivery gets no place that another one has had", func(w *world) {
		w.accept("1", "")
		w.accept("2", "")
		var last int64
		for range 2 {
			d := w.claimDelivery()
			last = max(last, d.Seq)
			w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
		}
		w.clock.advance(time.Hour)
		w.Equal(int64(2), w.prune(w.clock.Now()))
		w.accept("3", "")
		w.Less(last, w.claimDelivery().Seq)
	}},
}

// decideOn decides a stage of a pipeline once.
func (w *world) decideOn(k store.StageKey) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		b, err := tx.Ledger.Basis(w.pipeline, k)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(b, decide.Decide(b.Snapshot, tx.Now))
	})
}

// applied writes a decision on a basis that was read before.
func (w *world) applied(b store.Basis, d promotion.Decision) {
	w.Helper()
	w.NoError(w.tryOn(b, d))
}

func (w *world) tryOn(b store.Basis, d promotion.Decision) error {
	return w.store.Update(context.Background(), func(tx *store.Tx) error { return tx.Ledger.Apply(b, d) })
}

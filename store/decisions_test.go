package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

func TestDecisions(t *testing.T) { prove(t, decisions) }

var decisions = []test{
	{"many deciders of the same stage make one promotion (F1)", func(w *world) {
		w.merge(1)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				err := w.store.Update(context.Background(), func(tx *store.Tx) error {
					s, err := tx.Ledger.Basis(w.pipeline, key(dev))
					if err != nil {
						return err
					}
					return tx.Ledger.Apply(s, decide.Decide(s.Snapshot, tx.Now))
				})
				if err != nil {
					w.T.Errorf("decide: %v", err)
				}
			})
		}
		all.Wait()
		w.Equal(1, w.promotions())
	}},
	{"a decision on an old snapshot is a conflict and leaves nothing behind (F1, F42)", func(w *world) {
		f := w.merge(1)
		p := w.queued(dev, 1, f)
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.settle()
		events := len(w.events())
		err := w.tryApply(dev, promotion.Decision{
			Log:        []promotion.Entry{{At: start, Stage: dev, State: promotion.Queued}},
			Promotions: []promotion.Promotion{p},
		})
		w.ErrorIs(err, store.ErrConflict, "another with the same number")
		stale := w.read(1)
		fresh := stale
		fresh.State, fresh.Started = promotion.Running, start
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{fresh}})
		stale.State, stale.Ended = promotion.Cancelled, start
		w.ErrorIs(w.tryApply(dev, promotion.Decision{Promotions: []promotion.Promotion{stale}}), store.ErrConflict)
		w.Equal(promotion.Running, w.read(1).State)
		w.Len(w.events(), events)
	}},
	{"the database refuses a second active promotion of a stage", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		p := w.queued(dev, 2, w.merge(2))
		p.State, p.Started = promotion.Running, start
		w.ErrorIs(w.tryApply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}}), store.ErrConflict)
	}},
	{"the database refuses a second open promotion of a freight into a stage (Q16)", func(w *world) {
		f := w.merge(1)
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, f)}})
		p := w.queued(dev, 2, f)
		p.Class, p.Automatic = promotion.Manual, false
		w.ErrorIs(w.tryApply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}}), store.ErrConflict)
	}},
	{"the database refuses a second automatic promotion of a freight into a stage, whatever became of the first",
		func(w *world) {
			f := w.merge(1)
			p := w.queued(dev, 1, f)
			p.State, p.Ended = promotion.Cancelled, start
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
			w.ErrorIs(w.tryApply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 2, f)}}),
				store.ErrConflict)
		}},
	{"the database refuses states that contradict their times", func(w *world) {
		f := w.merge(1)
		for _, p := range []promotion.Promotion{
			func() promotion.Promotion { p := w.queued(dev, 1, f); p.State = promotion.Failed; return p }(),
			func() promotion.Promotion { p := w.queued(dev, 1, f); p.Ended = start; return p }(),
			func() promotion.Promotion { p := w.queued(dev, 1, f); p.State = promotion.Verifying; return p }(),
			func() promotion.Promotion { p := w.queued(dev, 1, f); p.State = "lost"; return p }(),
		} {
			w.Error(w.tryApply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}}), "%s", p.State)
		}
	}},
	{"one that ends makes room for one that starts in the same decision (Q3)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		two := w.queued(dev, 2, w.merge(2))
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{two}})
		one, hosted := w.read(1), w.snapshot(dev).Deployments[0]
		two = w.read(2)
		two.State, two.Started, two.Merged, two.MergeSHA, two.Rollout = promotion.Verifying, start, start, "m2", oneStep()
		one.State, one.Ended = promotion.Succeeded, start
		hosted.Left = start
		next := promotion.Deployment{Promotion: 2, Stage: dev, Warehouse: "api", Freight: two.Freight.ID, Entered: start,
			Commit: "m2", Results: onePart("m2", start)}
		w.apply(dev,
			promotion.Decision{Promotions: []promotion.Promotion{two, one}, Deployments: []promotion.Deployment{next, hosted}})
		w.Equal(promotion.Succeeded, w.read(1).State)
		w.Equal(promotion.Verifying, w.read(2).State)
		w.Equal(int64(2), w.read(2).Version)
	}},
	{"a deployment that begins has its stage decided once more, because its commit may have signals (F5)", func(w *world) {
		p := w.queued(dev, 1, w.merge(1))
		w.settle()
		p.State, p.Started, p.Merged, p.MergeSHA, p.Rollout = promotion.Verifying, start, start, "m1", oneStep()
		w.apply(dev, promotion.Decision{
			Promotions: []promotion.Promotion{p},
			Deployments: []promotion.Deployment{{
				Promotion: 1, Stage: dev, Warehouse: "api", Freight: p.Freight.ID, Entered: start, Commit: "m1",
				Results: onePart("m1", start),
			}},
		})
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.apply(dev, promotion.Decision{})
		w.Equal([]string{"gate", prod}, w.undecided())
	}},
	{"a verdict and a drift concern the stages downstream, through pass-through stages", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.settle()
		hosted := w.snapshot(dev).Deployments[0]
		hosted.Verdict, hosted.Judged = promotion.Passed, start
		changes := func(d promotion.Drift, wakes bool) {
			hosted.Drift = d
			w.apply(dev, promotion.Decision{Deployments: []promotion.Deployment{hosted}})
			w.Equal(wakes, len(w.undecided()) > 0, "%+v", d)
			w.settle()
		}
		drift := promotion.Drift{Says: []promotion.Value{{Path: "a.yaml", Key: "tag", Text: "other"}}, At: start, Count: 1}
		changes(promotion.Drift{}, true)
		changes(drift, true)
		w.Equal("has something else in its files (a.yaml tag)", w.snapshot(prod).Records[0][0].Withdrawn)
		drift.Told = true
		changes(drift, false)
		changes(promotion.Drift{Count: 1, Righted: start.Add(time.Hour)}, true)
		w.Equal(promotion.Record{Verdict: promotion.Passed, Since: start.Add(time.Hour), Hosted: true},
			w.snapshot(prod).Records[0][0])
		hosted.Verdict, hosted.Judged = promotion.Bad, start
		w.apply(dev, promotion.Decision{Deployments: []promotion.Deployment{hosted}})
		w.Equal([]string{"gate", prod}, w.undecided())
	}},
	{"what ends unmerged concerns the stages downstream where something waits", func(w *world) {
		one, two := w.merge(1), w.merge(2)
		end := func(n promotion.Number, f promotion.Freight) []string {
			w.promote(dev, n, f)
			p := w.read(n)
			p.State, p.Ended = promotion.Cancelled, start
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
			return w.undecided()
		}
		w.Empty(end(1, one), "nothing waits")
		w.promote(prod, 2, one)
		w.Equal([]string{prod}, end(3, two))
	}},
	{"a rollback concerns the stages downstream from when it is asked for until it ends without a merge", func(w *world) {
		one, two := w.merge(1), w.merge(2)
		w.host(dev, 1, one, "m1")
		w.leave(dev, 1)
		w.host(dev, 2, two, "m2")
		hosted, second := w.snapshot(dev).Deployments[1], w.read(2)
		hosted.Verdict, hosted.Judged = promotion.Passed, start
		second.State, second.Ended = promotion.Succeeded, start
		w.apply(dev, promotion.Decision{
			Promotions: []promotion.Promotion{second}, Deployments: []promotion.Deployment{hosted},
		})
		w.settle()
		verified := func() (names []string) {
			s := w.snapshot(prod)
			for i, r := range s.Records[0] {
				if r.Verdict == promotion.Passed {
					names = append(names, s.Freight[i].Name)
				}
			}
			return names
		}
		changes := func(p promotion.Promotion, want ...string) {
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
			w.Equal([]string{"gate", prod}, w.undecided())
			w.Equal(want, verified())
			w.settle()
		}
		p := w.queued(dev, 3, one)
		p.Class, p.Automatic, p.Pins = promotion.Rollback, false, true
		changes(p, "api#1")
		p = w.read(3)
		p.State, p.Ended = promotion.Cancelled, start
		changes(p, "api#1", "api#2")
		p = w.queued(dev, 4, one)
		p.Class, p.Automatic, p.Pins = promotion.Rollback, false, true
		changes(p, "api#1")
		w.clock.advance(time.Minute)
		w.leave(dev, 2)
		p = w.read(4)
		p.State, p.Started, p.Merged, p.MergeSHA = promotion.Verifying, start, start.Add(time.Hour), "m4"
		p.Rollout = oneStep()
		changes(p, "api#1")
		all := []promotion.Withdrawal{}
		w.view(func(tx *store.Tx) (err error) {
			all, err = tx.Ledger.Withdrawals(pipeline, w.pipeline.Stage(prod))
			return err
		})
		w.Len(all, 1)
		w.Equal(one.ID, all[0].Promotion.Freight.ID)
		w.Equal(promotion.WarehouseName("api"), all[0].To.Warehouse)
	}},
	{"a hold of one stage concerns all stages of the pipeline", func(w *world) {
		w.apply(prod, promotion.Decision{Holds: []promotion.Hold{{ID: 1, Stage: prod, At: start}}})
		w.Equal([]string{dev, "gate"}, w.undecided())
	}},
	{"a stage is undecided again when its time has come", func(w *world) {
		w.apply(prod, promotion.Decision{Wake: start.Add(time.Hour)})
		w.next("", start.Add(time.Hour))
		w.clock.advance(time.Hour)
		w.next(prod, time.Time{})
		w.apply(prod, promotion.Decision{})
		w.next("", time.Time{})
	}},
	{"the stages of a pipeline are decided in the order of its file", func(w *world) {
		w.merge(1)
		for _, stage := range []string{dev, "gate", prod} {
			w.next(promotion.StageName(stage), time.Time{})
			w.apply(stage, promotion.Decision{})
		}
	}},
	{"a stage that cannot be decided does not keep the others waiting", func(w *world) {
		w.want(dev, merge(dev, 1))
		w.merge(1)
		w.update(func(tx *store.Tx) error { return tx.Stages.Postpone(key(dev), tx.Now.Add(time.Minute)) })
		w.next("gate", time.Time{})
		w.apply("gate", promotion.Decision{})
		w.apply(prod, promotion.Decision{Wake: start.Add(time.Hour)})
		w.next("", start.Add(time.Minute))
		w.Nil(w.claim(), "it is still undecided")
		w.clock.advance(time.Minute)
		w.next(dev, time.Time{})
	}},
	{"a stage that was postponed is decided when something new concerns it", func(w *world) {
		w.merge(1)
		w.update(func(tx *store.Tx) error { return tx.Stages.Postpone(key(dev), tx.Now.Add(time.Hour)) })
		w.merge(2)
		w.next(dev, time.Time{})
	}},
	{"a decision is lost if its stage has changed since its basis was read", func(w *world) {
		b := w.basis(dev)
		w.merge(1)
		w.ErrorIs(w.store.Update(context.Background(), func(tx *store.Tx) error {
			return tx.Ledger.Apply(b, promotion.Decision{})
		}), store.ErrConflict)
	}},
	{"a stage that is locked is decided whatever has come before", func(w *world) {
		b := w.basis(dev)
		w.merge(1)
		w.update(func(tx *store.Tx) error {
			w.NoError(tx.Ledger.Lock(key(dev)))
			now, err := tx.Ledger.Basis(w.pipeline, key(dev))
			w.NoError(err)
			w.NotEqual(b.Version(), now.Version())
			return tx.Ledger.Apply(now, decide.Decide(now.Snapshot, tx.Now))
		})
		w.Equal(promotion.Queued, w.read(1).State)
	}},
	{"of two decisions on one basis one is lost", func(w *world) {
		w.merge(1)
		b := w.basis(dev)
		d := decide.Decide(b.Snapshot, start)
		apply := func() error {
			return w.store.Update(context.Background(), func(tx *store.Tx) error { return tx.Ledger.Apply(b, d) })
		}
		w.NoError(apply())
		w.ErrorIs(apply(), store.ErrConflict)
	}},
	{"of two decisions that only wake a stage at another time one is lost", func(w *world) {
		w.apply(dev, promotion.Decision{Wake: start.Add(time.Minute)})
		b := w.basis(dev)
		later := promotion.Decision{Wake: start.Add(time.Hour)}
		apply := func() error {
			return w.store.Update(context.Background(), func(tx *store.Tx) error { return tx.Ledger.Apply(b, later) })
		}
		w.NoError(apply())
		w.ErrorIs(apply(), store.ErrConflict)
	}},
	{"deciding twice decides nothing new, and writes nothing", func(w *world) {
		w.merge(1)
		w.decide()
		events, version := len(w.events()), w.read(1).Version
		w.update(func(tx *store.Tx) error { return tx.Stages.Touch(key(dev)) })
		w.decide()
		w.Len(w.events(), events)
		w.Equal(version, w.read(1).Version)
	}},
	{"what was decided is in the audit trail, in order", func(w *world) {
		ann := promotion.Actor{ID: 5, Login: "ann"}
		w.apply(dev, promotion.Decision{Log: []promotion.Entry{
			{At: start, Stage: dev, Promotion: 1, State: promotion.Verifying, SHA: "m1", By: ann},
			{At: start, Stage: dev, Promotion: 1, Class: promotion.Manual},
			{At: start, Stage: dev, Event: promotion.EventHeld, Reason: promotion.Because(promotion.Asked, "ann")},
		}})
		all := w.events()
		w.Equal(store.Event{
			Seq: 1, At: start, Pipeline: pipeline, Stage: dev, Promotion: 1, Kind: store.EventState, Word: "verifying",
			SHA: "m1", By: ann, Source: "decide", Hash: all[0].Hash,
		}, all[0])
		w.Equal(store.EventClass, all[1].Kind)
		w.Equal("held", all[2].Word)
		w.Equal(promotion.Because(promotion.Asked, "ann"), all[2].Reason)
	}},
	{"a pipeline hosts what has entered its stages and not left, in the order of their names", func(w *world) {
		f := w.merge(1)
		w.host(prod, 1, f, "m1")
		w.host(dev, 2, f, "m2")
		w.leave(dev, 2)
		w.host(dev, 3, w.merge(2), "m3")
		w.view(func(tx *store.Tx) error {
			hosted, err := tx.Deployments.Hosted(pipeline)
			w.Equal([]promotion.Number{3, 1}, []promotion.Number{hosted[0].Promotion, hosted[1].Promotion})
			w.Len(hosted, 2)
			return err
		})
	}},
}

// next requires this stage and wake time to be next for a decision.
func (w *world) next(stage promotion.StageName, wake time.Time) {
	w.Helper()
	key, at, err := w.store.NextUndecided(context.Background(), store.StageKey{}, false)
	w.NoError(err)
	w.Equal(stage, key.Stage)
	w.Equal(wake, at)
}

// promotions counts the promotions of the pipeline.
func (w *world) promotions() (n int) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		all, err := tx.Promotions.Latest(store.StageKey{Pipeline: pipeline}, 0, 100)
		n = len(all)
		return err
	})
	return n
}

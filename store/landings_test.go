package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// committing is promotion 1, which runs and has a plan.
func committing(w *world) {
	p := w.queued(dev, 1, w.merge(1))
	p.State, p.Started = promotion.Running, start
	w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
	w.plan(1, 1)
	w.settle()
}

var landing = store.Landing{Base: "b1", Head: "c1", At: start.Add(time.Second), URL: "https://github.test/c1"}

// begin begins the commit of promotion 1, and reports whether it has begun.
func (w *world) begin(round int) (begun bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		begun, err = tx.Ledger.BeginCommit(pipeline, 1, 0, round, landing)
		return err
	})
	return begun
}

// dispatch begins the workflow of promotion 1, and reports whether it has begun.
func (w *world) dispatch() (begun bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		begun, err = tx.Ledger.BeginDispatch(pipeline, 1)
		return err
	})
	return begun
}

func TestLandings(t *testing.T) { prove(t, landings) }

var landings = []test{
	{"what has begun is known before it can be seen, and what has landed is where it was made", func(w *world) {
		committing(w)
		w.True(w.begin(1))
		w.Equal(1, w.attempt(1).Begun)
		w.update(func(tx *store.Tx) error {
			_, made, err := tx.Ledger.Prepared(pipeline, 1, 1)
			w.Equal(landing.Head, made)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveLanded(pipeline, 1) })
		a := w.attempt(1)
		w.Equal([]any{0, 1, landing.Base, landing.Head, landing.At, landing.URL}, []any{a.Begun, a.Built, a.BaseSHA, a.HeadSHA, a.Landed, a.URL})
		w.Equal([]string{dev}, w.undecided())
	}},
	{"nothing begins while something of its stage is undecided, so that a hold which is recorded first stops it (T31)", func(w *world) {
		committing(w)
		w.merge(2)
		w.NotEmpty(w.undecided())
		w.False(w.begin(1))
		w.Zero(w.attempt(1).Begun)
	}},
	{"nothing begins of a promotion that has ended, of an older plan, or that has a pull request", func(w *world) {
		committing(w)
		w.False(w.begin(2))
		p := w.read(1)
		p.State, p.Ended = promotion.Cancelled, start
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.settle()
		w.False(w.begin(1))
		w.open(prod, 2, w.merge(2), 7)
		w.update(func(tx *store.Tx) error {
			begun, err := tx.Ledger.BeginCommit(pipeline, 2, 0, 1, landing)
			w.False(begun)
			return err
		})
	}},
	{"what came too late, is not there, or was refused is no longer on its way", func(w *world) {
		committing(w)
		w.True(w.begin(1))
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveUnbegun(pipeline, 1) })
		w.Equal([]int{0, 0}, []int{w.attempt(1).Begun, w.attempt(1).Late})
		w.settle()
		w.True(w.begin(1))
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveLate(pipeline, 1, 1) })
		w.Equal([]int{0, 1}, []int{w.attempt(1).Begun, w.attempt(1).Late})
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveLanded(pipeline, 1) })
		w.Zero(w.attempt(1).Landed, "nothing was on its way")
		w.plan(1, 2)
		w.settle()
		w.True(w.begin(2))
		w.update(func(tx *store.Tx) error {
			return tx.Ledger.SaveFailure(pipeline, 1, promotion.Because(promotion.Refused))
		})
		w.Zero(w.attempt(1).Begun)
	}},
	{"commits and merges into one branch are done one at a time", func(w *world) {
		commit := promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1}
		w.want(dev, commit)
		w.want(prod, merge(prod, 2))
		e := w.claim()
		w.Equal(commit, e.Effect)
		w.Nil(w.claim())
		w.finish(e)
		w.Equal(merge(prod, 2), w.claim().Effect)
	}},
	{"a commit that is tried again is decided about once more (T31)", func(w *world) {
		w.want(dev, promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1})
		e := w.claim()
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
		w.Nil(w.claim())
		w.want(dev)
		w.Nil(w.claim())
	}},
	{"a workflow that is being started is known before it runs, and then the commit that it runs on", func(w *world) {
		committing(w)
		w.True(w.dispatch())
		w.False(w.dispatch(), "once")
		w.Equal(w.clock.Now(), w.attempt(1).Dispatched)
		run := promotion.Signal{Repo: home, Kind: promotion.KindRun, ID: 9, SHA: "c1", Name: "workflow of dev", State: "queued", Started: start, Observed: start}
		w.update(func(tx *store.Tx) error {
			return tx.Ledger.SaveDispatched(pipeline, 1, "c1", start, "https://github.test/runs/9", run)
		})
		a := w.attempt(1)
		w.Equal([]any{time.Time{}, 1, promotion.SHA("c1"), start, promotion.OnRun}, []any{a.Dispatched, a.Built, a.HeadSHA, a.Landed, a.Link().What})
		w.Equal([]string{dev}, w.undecided())
	}},
	{"a workflow that GitHub has said it starts is never started again", func(w *world) {
		committing(w)
		w.True(w.dispatch())
		gone := func() (gone bool) {
			w.update(func(tx *store.Tx) (err error) { gone, err = tx.Ledger.SaveUnheard(pipeline, 1); return err })
			return gone
		}
		w.True(gone())
		w.Zero(w.attempt(1).Dispatched)
		w.settle()
		w.True(w.dispatch())
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveHeard(pipeline, 1) })
		w.False(gone())
		w.NotZero(w.attempt(1).Dispatched)
	}},
	{"no workflow is started while something of its stage is undecided (T31), and a failure ends the start", func(w *world) {
		committing(w)
		w.merge(2)
		w.False(w.dispatch())
		w.settle()
		w.True(w.dispatch())
		w.update(func(tx *store.Tx) error {
			return tx.Ledger.SaveFailure(pipeline, 1, promotion.Because(promotion.Refused))
		})
		w.Zero(w.attempt(1).Dispatched)
		w.settle()
		w.False(w.dispatch())
	}},
}

package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestTurnsToMerge(t *testing.T) { prove(t, turnsToMerge) }

var turnsToMerge = []test{
	{"it is the turn of a promotion until it is merged, or until others have waited long enough", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		w.Empty(w.mergeTurns())
		began := w.clock.Now()
		w.takeTurn(1)
		turns := w.mergeTurns()
		w.Len(turns, 1)
		w.Equal([]any{pipeline, promotion.StageName(dev), promotion.Number(1), began.UTC(), 11},
			[]any{turns[0].Pipeline, turns[0].Stage, turns[0].Attempt.Promotion, turns[0].Since, turns[0].Attempt.Pull})
		w.clock.advance(time.Hour)
		w.Empty(w.mergeTurns())
		w.takeTurn(1)
		p.State, p.MergeSHA, p.MergedAt = promotion.PullMerged, "m1", w.clock.Now()
		w.see(p)
		w.Len(w.mergeTurns(), 1)
		w.end(dev, 1, promotion.Verifying)
		w.Empty(w.mergeTurns())
	}},
	{"when a turn is over, the merge that waits since the first decision is tried, a rollback before others",
		func(w *world) {
			first, _ := w.waiting()
			w.Nil(w.claim())
			w.endFirst()
			w.Equal(first, w.claim().Effect)
			w.Nil(w.claim(), "one at a time")
		}},
	{"a merge that has waited and is done leaves the branch to the next", func(w *world) {
		done, next := w.waiting()
		w.endFirst()
		claimed := w.claim()
		w.Equal(done, claimed.Effect)
		w.end(prod, 2, promotion.Verifying)
		w.finish(claimed)
		w.Equal(next, w.claim().Effect)
	}},
	{"a merge that has waited and is not allowed leaves the branch to the next", func(w *world) {
		refused, next := w.waiting()
		w.endFirst()
		claimed := w.claim()
		w.Equal(refused, claimed.Effect)
		w.update(func(tx *store.Tx) error { return tx.Turns.Pass(pipeline, 2) })
		w.finish(claimed)
		w.Equal(next, w.claim().Effect)
	}},
	{"what waits to be merged goes behind what was decided before", func(w *world) {
		w.waiting()
		w.Equal([]promotion.Wait{{Stage: prod, Number: 2}}, w.ahead(3))
		w.Empty(w.ahead(2))
		w.Empty(w.ahead(1), "it does not wait to be merged")
	}},
	{"a turn that ends has a rollback merged before others", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		w.open(prod, 2, freightNo(1), 12)
		w.open("gate", 3, freightNo(1), 13)
		back := w.read(3)
		back.Class = promotion.Rollback
		w.apply("gate", promotion.Decision{Promotions: []promotion.Promotion{back}})
		w.takeTurn(1)
		w.want(prod, merge(prod, 2))
		w.clock.advance(time.Second)
		w.want("gate", merge("gate", 3))
		w.postpone(1)
		w.postpone(1)
		w.endFirst()
		w.Equal(merge("gate", 3), w.claim().Effect)
	}},
	{"a rollback is merged before what was decided earlier", func(w *world) {
		w.open(prod, 2, w.merge(1), 12)
		w.open("gate", 3, freightNo(1), 13)
		back := w.read(3)
		back.Class = promotion.Rollback
		w.apply("gate", promotion.Decision{Promotions: []promotion.Promotion{back}})
		w.want(prod, merge(prod, 2))
		w.clock.advance(time.Second)
		w.want("gate", merge("gate", 3))
		w.Equal([]promotion.Wait{{Stage: "gate", Number: 3}}, w.ahead(2))
		w.Empty(w.ahead(3))
		w.Equal(merge("gate", 3), w.claim().Effect)
	}},
	{"a commit of ours that is behind the branch is made anew, a newer one is not", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		w.settle()
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveBehind(pipeline, 1, "another") })
		w.Empty(w.undecided())
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveBehind(pipeline, 1, p.HeadSHA) })
		w.Equal([]string{dev}, w.undecided())
		w.True(w.attempt(1).Outdated(&p))
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveRebuilt(pipeline, 1, 2, "newer") })
		w.False(w.attempt(1).Outdated(&p), "GitHub shows the older commit")
		p.HeadSHA = "newer"
		w.False(w.attempt(1).Outdated(&p))
	}},
	{"pull requests that are about to be merged are no concern of a push", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		w.open(prod, 2, freightNo(1), 12)
		w.want(prod, merge(prod, 2))
		w.Equal([]promotion.Number{1}, w.unmerged())
		w.want(prod)
		w.Equal([]promotion.Number{1, 2}, w.unmerged())
	}},
}

// mergeTurns returns the turns that have begun within an hour.
func (w *world) mergeTurns() (all []store.Turn) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		all, err = tx.Turns.In(promotion.Branch{Repo: home, Name: "main"}, tx.Now.Add(-time.Hour))
		return err
	})
	return all
}

func (w *world) ahead(n promotion.Number) (all []promotion.Wait) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) { all, err = tx.Turns.Ahead(pipeline, n); return err })
	return all
}

func (w *world) takeTurn(n promotion.Number) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Turns.Take(pipeline, n) })
}

// waiting begins the turn of promotion 1 of dev, and has two merges wait for it.
func (w *world) waiting() (first, second promotion.Effect) {
	w.Helper()
	w.open(dev, 1, w.merge(1), 11)
	w.open(prod, 2, freightNo(1), 12)
	w.open("gate", 3, freightNo(1), 13)
	w.takeTurn(1)
	first, second = merge(prod, 2), merge("gate", 3)
	w.want(prod, first)
	w.clock.advance(time.Second)
	w.want("gate", second)
	w.postpone(1)
	w.postpone(1)
	return first, second
}

// endFirst cancels the promotion that has its turn. The stages downstream are decided again, and want the same.
func (w *world) endFirst() {
	w.Helper()
	w.end(dev, 1, promotion.Cancelled)
	w.want(prod, merge(prod, 2))
	w.want("gate", merge("gate", 3))
}

// postpone claims a merge and has it wait for the turn of a promotion.
func (w *world) postpone(first promotion.Number) {
	w.Helper()
	e := w.claim()
	w.NotNil(e)
	until := w.clock.Now().Add(time.Hour)
	wait := promotion.Wait{Stage: dev, Number: first, Until: until.UTC()}
	w.update(func(tx *store.Tx) error {
		if err := tx.Turns.SaveWait(pipeline, e.Promotion, wait); err != nil {
			return err
		}
		return tx.Outbox.RetryEffect(e, "its turn", until)
	})
	w.Equal(wait, w.attempt(e.Promotion).After)
	w.want(string(e.Stage), e.Effect)
}

// end moves a promotion to another state.
func (w *world) end(stage string, n promotion.Number, to promotion.State) {
	w.Helper()
	p := w.read(n)
	if p.State = to; to.Ended() {
		p.Ended = w.clock.Now()
	} else {
		p.MergeSHA, p.Merged = "m1", w.clock.Now()
	}
	w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{p}})
}

// unmerged returns the promotions whose pull requests a push could concern.
func (w *world) unmerged() (all []promotion.Number) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		some, err := tx.Attempts.Unmerged(promotion.Branch{Repo: home, Name: "main"})
		for _, a := range some {
			all = append(all, a.Promotion)
		}
		return err
	})
	return all
}

package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// noisy and quiet are other pipelines. They come after the world's pipeline in the order of turns, which is the order
// of their repositories.
const (
	noisy int64 = pipeline - 1
	quiet int64 = pipeline + 1
)

func TestFairness(t *testing.T) { prove(t, fairness) }

var fairness = []test{
	{"a pipeline with a thousand waiting effects keeps no other waiting", func(w *world) {
		w.found(noisy, quiet)
		var many []promotion.Effect
		for n := range 1000 {
			many = append(many, promotion.Effect{
				Verb: promotion.Tell, Stage: dev, Promotion: promotion.Number(n + 1), Freight: "f", Outcome: "failed",
			})
		}
		w.wantOf(noisy, many...)
		w.clock.advance(time.Second)
		w.want(dev, plan(2001, 1), tell(2002))
		w.wantOf(quiet, plan(3001, 1), tell(3002))
		w.Equal([]int64{pipeline, noisy, quiet, pipeline, noisy, quiet, noisy, noisy}, w.effectsInTurn(8))
	}},
	{"an installation with a thousand waiting effects leaves workers to the others", func(w *world) {
		w.found(noisy, quiet)
		r := row()
		r.ID, r.Repo, r.Installation = quiet, promotion.Repo(fmt.Sprintf("acme/pipeline-%d", quiet)), 4
		w.save(r, w.pipeline)
		w.wantOf(noisy, plans(1, 1000)...)
		w.want(dev, tell(2001))
		w.clock.advance(time.Second)
		w.wantOf(quiet, plans(3001, 3)...)
		w.Equal([]int64{pipeline, noisy, quiet, noisy, quiet}, w.claimAll(most(4)),
			"each repository leaves as many to the others of its installation as it has")
		w.Empty(w.claimAll(most(4)))
		w.clock.advance(time.Minute)
		w.NotEmpty(w.claimAll(most(4)), "the leases are over")
	}},
	{"an installation leaves as much room to the others as it takes", func(w *world) {
		w.found(noisy, quiet)
		r := row()
		r.ID, r.Repo, r.Installation = quiet, promotion.Repo(fmt.Sprintf("acme/pipeline-%d", quiet)), 4
		w.save(r, w.pipeline)
		w.wantOf(noisy, plans(1, 10)...)
		w.wantOf(quiet, plans(11, 10)...)
		room, served := 6, []int64{}
		for {
			some := w.claimOne(store.Claim{Lease: time.Minute, Room: room})
			if some == nil {
				break
			}
			served = append(served, some.Pipeline)
			room--
		}
		w.Equal([]int64{noisy, quiet}, served[:2])
		w.Len(served, 4, "two are left to a third")
	}},
	{"a pipeline that moves to another installation takes along what waits", func(w *world) {
		w.want(dev, plan(1, 1), plan(2, 1))
		moved := row()
		moved.Installation, moved.Repo = 4, "acme/renamed"
		w.save(moved, w.pipeline)
		w.found(quiet)
		w.wantOf(quiet, plan(3, 1))
		var served []int64
		for range 2 {
			e := w.claimOne(most(1))
			w.NotNil(e)
			served = append(served, e.Pipeline)
		}
		w.Equal([]int64{quiet, pipeline}, served, "one of each installation")
	}},
	{"a pipeline whose effects have to wait is passed over", func(w *world) {
		w.found(quiet)
		w.want(dev, plan(1, 1))
		w.wantOf(quiet, plan(2, 1))
		e := w.claim()
		w.update(func(tx *store.Tx) error {
			return tx.Outbox.RetryEffect(e, "502", tx.Now.Add(time.Minute))
		})
		w.Equal([]int64{quiet, 0}, w.effectsInTurn(2))
	}},
	{"a pipeline with a thousand views that are not shown keeps no other waiting", func(w *world) {
		w.found(noisy, quiet)
		for n := range 1000 {
			w.showOf(noisy, n)
		}
		w.clock.advance(time.Second)
		w.showOf(quiet, 0)
		w.showOf(quiet, 1)
		var served []int64
		for range 5 {
			v := w.claimView()
			w.NotNil(v)
			served = append(served, v.Pipeline)
		}
		w.Equal([]int64{noisy, quiet, noisy, quiet, noisy}, served)
	}},
	{"a stage of which there is news all the time keeps no other waiting", func(w *world) {
		w.found(quiet)
		w.wake(prod)
		var decided []store.StageKey
		var last store.StageKey
		for range 4 {
			after := last
			w.update(func(tx *store.Tx) (err error) {
				w.NoError(tx.Stages.Touch(key(dev)))
				w.NoError(tx.Stages.Touch(store.StageKey{Pipeline: quiet, Stage: prod}))
				last, _, err = tx.Stages.NextUndecided(after, false)
				return err
			})
			decided = append(decided, last)
		}
		w.Equal([]store.StageKey{key(dev), key(prod), {Pipeline: quiet, Stage: prod}, key(dev)}, decided)
	}},
}

// plans are effects of several promotions.
func plans(first promotion.Number, n int) (all []promotion.Effect) {
	for i := range n {
		all = append(all, plan(first+promotion.Number(i), 1))
	}
	return all
}

// most is a claim with at most n leases per account.
func most(n int) store.Claim {
	return store.Claim{Lease: time.Minute, Limit: func(string) int { return n }}
}

// claimOne claims an effect; nil if no effect is due.
func (w *world) claimOne(c store.Claim) (e *store.Effect) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		e, _, err = tx.Outbox.ClaimEffect(c)
		return err
	})
	return e
}

// claimAll claims effects until no effect is due, and returns their pipelines.
func (w *world) claimAll(c store.Claim) (served []int64) {
	w.Helper()
	for e := w.claimOne(c); e != nil; e = w.claimOne(c) {
		served = append(served, e.Pipeline)
	}
	return served
}

// found makes more pipelines whose stages are all decided.
func (w *world) found(ids ...int64) {
	w.Helper()
	for _, id := range ids {
		other := row()
		other.ID, other.Repo = id, promotion.Repo(fmt.Sprintf("acme/pipeline-%d", id))
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(other, w.pipeline) })
		for _, s := range w.pipeline.Stages {
			w.applyOf(store.StageKey{Pipeline: id, Stage: s.Name}, promotion.Decision{})
		}
	}
}

// wake sets the wake time of a stage and advances the clock to it.
func (w *world) wake(stage string) {
	w.Helper()
	w.apply(stage, promotion.Decision{Wake: w.clock.Now().Add(time.Second)})
	w.clock.advance(time.Second)
}

func (w *world) wantOf(id int64, wanted ...promotion.Effect) {
	w.Helper()
	w.applyOf(store.StageKey{Pipeline: id, Stage: dev}, promotion.Decision{Wanted: wanted})
}

func (w *world) applyOf(key store.StageKey, d promotion.Decision) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		s, err := tx.Ledger.Basis(w.pipeline, key)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(s, d)
	})
}

func (w *world) showOf(id int64, n int) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		_, err := tx.Views.WantView(store.View{
			Surface: fmt.Sprintf("check:%d/%d", id, n), Pipeline: id, Stage: dev, Kind: "check", Wanted: "x",
		})
		return err
	})
}

// effectsInTurn claims n effects and returns their pipelines; 0 where no effect was due.
func (w *world) effectsInTurn(n int) (served []int64) {
	w.Helper()
	for range n {
		e := w.claim()
		if e == nil {
			served = append(served, 0)
			continue
		}
		served = append(served, e.Pipeline)
	}
	return served
}

// TestAClaimPassesOverRepositoriesThatAreBusy without looking at the deliveries that wait there.
func TestAClaimPassesOverRepositoriesThatAreBusy(t *testing.T) {
	tries := 0
	s := open(t, store.Options{Heard: func(query string) {
		if strings.HasPrefix(query, "UPDATE deliveries") {
			tries++
		}
	}})
	accept := func(guid string, repo promotion.Repo) {
		_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: guid, Repo: repo, Installation: 3})
		require.NoError(t, err)
	}
	claim := func() (d *store.Delivery) {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
			d, _, err = tx.Inbox.ClaimDelivery(aMinute)
			return err
		}))
		return d
	}
	for n := range 10 {
		repo := promotion.Repo(fmt.Sprint("acme/busy", n))
		for i := range 3 {
			accept(fmt.Sprint(n, "-", i), repo)
		}
		require.NotNil(t, claim())
	}
	accept("other", "acme/other")
	tries = 0
	require.Equal(t, "other", claim().GUID)
	require.Equal(t, 1, tries)
}

package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestReadiness(t *testing.T) { prove(t, readiness) }

var readiness = []test{
	{"what is said of targets is kept, and concerns their stage (F34)", func(w *world) {
		w.Nil(w.snapshot(dev).Readiness)
		r := w.lacking("a", "b")
		w.shows(r)
		w.Equal([]string{dev}, w.undecided())
		r.Asked = 1
		w.Equal(&r, w.snapshot(dev).Readiness)
		w.clock.advance(time.Minute)
		r = w.lacking("a", "b")
		w.shows(r)
		w.Equal(1, w.snapshot(dev).Readiness.Tries, "it has said so before")
		w.clock.advance(time.Minute)
		w.shows(w.lacking())
		w.Empty(w.snapshot(dev).Readiness.Lacks)
		w.Zero(w.snapshot(dev).Readiness.Tries)
		w.EqualValues(3, w.snapshot(dev).Readiness.Asked)
	}},
	{"what is heard outdates what was said before (F34)", func(w *world) {
		w.outdate()
		w.Nil(w.snapshot(dev).Readiness)
		w.shows(w.lacking("a"))
		w.settle()
		w.outdate()
		w.True(w.snapshot(dev).Readiness.Stale)
		w.Equal([]string{dev}, w.undecided())
		heard := w.heard()
		w.outdate()
		w.update(func(tx *store.Tx) error {
			return tx.Readiness.Record(store.StageKey{Pipeline: pipeline, Stage: dev}, w.lacking(), heard)
		})
		w.True(w.snapshot(dev).Readiness.Stale, "it was heard while GitHub was being asked")
		w.shows(w.lacking())
		w.False(w.snapshot(dev).Readiness.Stale)
	}},
	{"a resync has those asked for again that are not ready, and no others (F34)", func(w *world) {
		w.shows(w.lacking())
		w.settle()
		w.outdateLacking()
		w.Empty(w.undecided())
		w.shows(w.lacking("a"))
		w.settle()
		w.outdateLacking()
		w.Equal([]string{dev}, w.undecided())
		w.True(w.snapshot(dev).Readiness.Stale)
	}},
}

// lacking is a current answer in which some statuses are missing.
func (w *world) lacking(names ...string) promotion.Readiness {
	w.pipeline.Stage(dev).Targets = []promotion.Target{
		{Name: "eu", Ready: []promotion.Condition{{Kind: promotion.KindStatus, Name: "a"}}},
	}
	r := promotion.Readiness{At: w.clock.Now(), Of: 4_000_000_000}
	for _, name := range names {
		r.Lacks = append(r.Lacks, promotion.Lacking{Condition: promotion.Condition{
			Kind: promotion.KindStatus, Name: name, Files: promotion.Branch{Repo: "acme/eu", Name: "live"},
		}, State: "pending"})
	}
	return r
}

func (w *world) shows(r promotion.Readiness) {
	heard := w.heard()
	w.update(func(tx *store.Tx) error {
		return tx.Readiness.Record(store.StageKey{Pipeline: pipeline, Stage: dev}, r, heard)
	})
}

func (w *world) heard() (n int64) {
	w.view(func(tx *store.Tx) (err error) {
		n, err = tx.Readiness.Heard(store.StageKey{Pipeline: pipeline, Stage: dev})
		return err
	})
	return n
}

func (w *world) outdate() {
	w.update(func(tx *store.Tx) error {
		return tx.Readiness.Outdate(store.StageKey{Pipeline: pipeline, Stage: dev})
	})
}

func (w *world) outdateLacking() {
	w.update(func(tx *store.Tx) error { return tx.Readiness.OutdateLacking(pipeline) })
}

package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestCandidates(t *testing.T) { prove(t, candidates) }

var candidates = []test{
	{"a candidate is what was seen of it last (T21)", func(w *world) {
		w.candidate("#1", "h1", start)
		w.candidate("#1", "h3", start.Add(2*time.Minute))
		w.candidate("#1", "h2", start.Add(time.Minute))
		w.candidate("#2", "x", start.Add(3*time.Minute))
		all := w.candidates()
		w.Equal([]string{"#2", "#1"}, []string{all[0].Ref, all[1].Ref})
		w.Equal(store.Candidate{
			Candidate: promotion.Candidate{Ref: "#1", Pull: 7, Head: "h3", Files: []string{"dev.yaml"}},
			Seen:      start.Add(2 * time.Minute), Fork: true,
		}, all[1])
	}},
	{"a candidate is not forgotten because of what happened before", func(w *world) {
		w.candidate("#1", "h1", start.Add(time.Minute))
		w.False(w.forgets("#1", start))
		w.Len(w.candidates(), 1)
		w.True(w.forgets("#1", start.Add(time.Minute)))
		w.False(w.forgets("#1", start.Add(time.Minute)))
		w.Empty(w.candidates())
	}},
	{"a candidate of a fork whose files are not known has for whom they are read", func(w *world) {
		c := store.Candidate{
			Candidate: promotion.Candidate{Ref: "#1", Pull: 1, Head: "h1"}, Seen: start, Unread: true, Fork: true,
			By: promotion.Actor{ID: 9, Login: "mallory"},
		}
		w.update(func(tx *store.Tx) error { return tx.Candidates.Record(pipeline, c) })
		w.Equal([]store.Candidate{c}, w.candidates())
		c.Unread, c.By, c.Files = false, promotion.Actor{ID: 1, Login: "ann"}, []string{"dev.yaml"}
		w.update(func(tx *store.Tx) error { return tx.Candidates.Record(pipeline, c) })
		w.Equal([]store.Candidate{c}, w.candidates())
	}},
	{"a candidate that is doubted is so until it is seen again", func(w *world) {
		w.candidate("#1", "h1", start)
		w.update(func(tx *store.Tx) error { return tx.Candidates.Doubt(pipeline) })
		w.True(w.candidates()[0].Doubted)
		w.candidate("#1", "h1", start)
		w.False(w.candidates()[0].Doubted)
	}},
}

func (w *world) candidate(ref string, head promotion.SHA, seen time.Time) {
	w.Helper()
	c := store.Candidate{
		Candidate: promotion.Candidate{Ref: ref, Pull: 7, Head: head, Files: []string{"dev.yaml"}}, Seen: seen,
		Fork: true,
	}
	w.update(func(tx *store.Tx) error { return tx.Candidates.Record(pipeline, c) })
}

func (w *world) forgets(ref string, seen time.Time) (there bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		there, err = tx.Candidates.Forget(pipeline, ref, seen)
		return err
	})
	return there
}

func (w *world) candidates() (all []store.Candidate) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		all, err = tx.Candidates.Of(pipeline)
		return err
	})
	return all
}

package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestBudgets(t *testing.T) { prove(t, budgets) }

var budgets = []test{
	{"answers in words are counted where they are said, to a person and to all who may not write", func(w *world) {
		ann, rea := w.orderBy("a", 5, promotion.Write), w.orderBy("b", 6, promotion.Read)
		for _, r := range []promotion.Request{ann, rea, w.orderBy("c", 7, promotion.Triage)} {
			w.wordsFor(r, "acme/api")
		}
		w.Equal(store.Worded{Own: 1, Readers: 2}, w.worded(w.orderBy("d", 5, promotion.Write), "acme/api", start))
		w.Equal(store.Worded{Own: 1, OwnReads: 1, Readers: 2}, w.worded(w.orderBy("e", 6, promotion.Read), "acme/api", start))
		w.Equal(store.Worded{}, w.worded(ann, "acme/deploy", start), "elsewhere there were none")
		w.Equal(store.Worded{}, w.worded(ann, "acme/api", start.Add(time.Second)), "since then there were none")
		w.Equal(store.Worded{Readers: 2}, w.worded(ann, "acme/api", start), "without the answer to the command itself")
		w.Equal(store.Worded{Readers: 1}, w.worded(rea, "acme/api", start))
	}},
	{"words that were granted stay so", func(w *world) {
		r := w.orderBy("a", 5, promotion.Write)
		w.False(w.granted(r))
		w.wordsFor(r, "acme/api")
		w.True(w.granted(r))
	}},
	{"comments are counted once, whatever they ask, and those that were recorded later are not", func(w *world) {
		w.orderBy("a", 5, promotion.Write)
		w.orderBy("a", 5, promotion.Write)
		w.orderBy("b", 6, promotion.Read)
		own, other := w.orderBy("c", 5, promotion.Write), w.orderBy("d", 6, promotion.NoPermission)
		w.Equal(store.Commented{Own: 1, Readers: 1}, w.commented(own, start))
		w.Equal(store.Commented{Own: 1, Readers: 1}, w.commented(other, start))
		w.Equal(store.Commented{}, w.commented(own, start.Add(time.Second)))
		other.PullRepo = "acme/deploy"
		w.Equal(store.Commented{}, w.commented(other, start))
	}},
	{"of the commands of a comment the first with an outcome shows it", func(w *world) {
		one, two, other := w.order("a"), w.order("a"), w.order("b")
		for _, r := range []promotion.Request{two, one, other} {
			w.reply(r, promotion.Done, "")
		}
		w.False(w.same(one, promotion.Done))
		w.True(w.same(two, promotion.Done))
		w.False(w.same(two, promotion.Refused))
		w.False(w.same(other, promotion.Done))
	}},
	{"what was asked in a place is found by it", func(w *world) {
		first := w.order("a")
		w.order("a")
		w.view(func(tx *store.Tx) error {
			id, r, err := tx.Requests.AskedOn("a")
			w.NoError(err)
			w.EqualValues(pipeline, id)
			w.Equal(first.ID, r.ID)
			_, r, err = tx.Requests.AskedOn("b")
			w.Zero(r.ID)
			return err
		})
	}},
}

// orderBy records a hold by a person with a permission, given on this surface.
func (w *world) orderBy(surface string, who int64, has promotion.Permission) promotion.Request {
	w.Helper()
	r := hold(dev)
	r.By, r.PullRepo, r.Pull, r.At = promotion.Actor{ID: who, Login: "x"}, "acme/api", 1, w.clock.Now()
	r.Surface, r.Permission = surface, has
	r.ID = w.ask(r)
	return r
}

func (w *world) wordsFor(r promotion.Request, in promotion.Repo) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Requests.GrantWords(pipeline, r.ID, in) })
}

func (w *world) worded(r promotion.Request, in promotion.Repo, since time.Time) (n store.Worded) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		n, _, err = tx.Requests.Worded(pipeline, r, in, since)
		return err
	})
	return n
}

func (w *world) granted(r promotion.Request) (granted bool) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		_, granted, err = tx.Requests.Worded(pipeline, r, "acme/api", start)
		return err
	})
	return granted
}

func (w *world) commented(r promotion.Request, since time.Time) (n store.Commented) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		n, err = tx.Requests.Commented(pipeline, r, since)
		return err
	})
	return n
}

func (w *world) same(r promotion.Request, outcome promotion.Code) (same bool) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		same, err = tx.Requests.SameAnswer(pipeline, r, string(outcome))
		return err
	})
	return same
}

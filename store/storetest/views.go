package storetest

import (
	"time"

	"waybill/promotion"
	"waybill/store"
)

const comment = "comment:acme/api#1"

var views = []test{
	{"only the last state that is wanted is shown", func(w *world) {
		w.True(w.wish("a"))
		w.True(w.wish("b"))
		w.False(w.wish("b"))
		v := w.claimView()
		w.Equal("b", v.Wanted)
		w.Empty(v.RemoteID)
		w.Equal(int64(3), v.Installation)
		w.showed("b")
		w.Nil(w.claimView())
		w.True(w.wish("c"))
		w.Equal("9", w.claimView().RemoteID)
	}},
	{"what is new is shown once it is due, and is not put off by what is newer", func(w *world) {
		due := func(wanted string) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.WantView(store.View{Surface: comment, Pipeline: pipeline, Kind: "comment", Wanted: wanted, Due: tx.Now.Add(3 * time.Second)})
				return err
			})
		}
		for _, shown := range []string{"b", "d"} {
			due("a" + shown)
			w.Nil(w.claimView())
			w.clock.advance(2 * time.Second)
			due(shown)
			w.Nil(w.claimView())
			w.clock.advance(time.Second)
			w.Equal(shown, w.claimView().Wanted)
			w.showed(shown)
		}
	}},
	{"what is wanted while it is being shown is shown afterwards", func(w *world) {
		w.wish("a")
		w.claimView()
		w.wish("b")
		w.Nil(w.claimView(), "it is being shown")
		w.showed("a")
		w.Equal("b", w.claimView().Wanted)
	}},
	{"what goes back to what is shown needs no showing", func(w *world) {
		w.wish("a")
		w.claimView()
		w.showed("a")
		w.wish("b")
		w.wish("a")
		w.Nil(w.claimView())
	}},
	{"a view that could not be shown is tried again when told to", func(w *world) {
		w.wish("a")
		w.claimView()
		w.update(func(tx *store.Tx) error { return tx.RetryView(comment, "502", tx.Now.Add(time.Second)) })
		w.Nil(w.claimView())
		w.clock.advance(time.Second)
		w.Equal(2, w.claimView().Attempts)
	}},
	{"a view that somebody removed is made again (SEMANTICS 5.9)", func(w *world) {
		w.wish("a")
		w.claimView()
		w.showed("a")
		w.update(func(tx *store.Tx) error { return tx.LostView(comment) })
		v := w.claimView()
		w.Equal("a", v.Wanted)
		w.Empty(v.RemoteID)
	}},
	{"a view that is to be refreshed is shown again in its place", func(w *world) {
		w.wish("a")
		w.claimView()
		w.showed("a")
		w.update(func(tx *store.Tx) error { return tx.RefreshView(comment) })
		v := w.claimView()
		w.Equal("a", v.Wanted)
		w.Equal("9", v.RemoteID)
	}},
	{"a check run is found by the number that GitHub gave it", func(w *world) {
		w.update(func(tx *store.Tx) error {
			_, err := tx.WantView(store.View{Surface: "check:1/dev/x", Pipeline: pipeline, Stage: dev, Kind: "check", Wanted: "a"})
			return err
		})
		w.claimView()
		w.update(func(tx *store.Tx) error { return tx.ShowedView("check:1/dev/x", "a", "77", time.Time{}) })
		w.view(func(tx *store.Tx) error {
			v, err := tx.CheckByID("77")
			w.Equal("check:1/dev/x", v.Surface)
			w.NoError(err)
			_, err = tx.CheckByID("9")
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
	}},
	{"a wish is kept until it is forgotten, and is that of who wished it last", func(w *world) {
		wish := store.Wish{Repo: "acme/api", Number: 7, Label: "promote/dev", By: promotion.Actor{ID: 5, Login: "ann"}, At: w.clock.Now()}
		w.update(func(tx *store.Tx) error { return tx.KeepWish(wish) })
		wish.By = promotion.Actor{ID: 6, Login: "bob"}
		w.update(func(tx *store.Tx) error { return tx.KeepWish(wish) })
		w.view(func(tx *store.Tx) error {
			all, err := tx.Wishes("acme/api", 7)
			w.Equal([]store.Wish{wish}, all)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.ForgetWish("acme/api", 7, "promote/dev") })
		w.view(func(tx *store.Tx) error {
			all, err := tx.Wishes("acme/api", 7)
			w.Empty(all)
			return err
		})
	}},
	{"the views of a stage wait for its effects", func(w *world) {
		w.wish("a")
		w.want(dev, plan(1, 1))
		w.Nil(w.claimView())
		e := w.claim()
		w.update(func(tx *store.Tx) error { return tx.RetryEffect(e.Key(), "502", tx.Now.Add(time.Hour)) })
		w.NotNil(w.claimView(), "what waits for GitHub does not silence everything")
	}},
}

func (w *world) wish(wanted string) (changed bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		changed, err = tx.WantView(store.View{Surface: comment, Pipeline: pipeline, Stage: dev, Kind: "comment", Wanted: wanted})
		return err
	})
	return changed
}

func (w *world) claimView() (v *store.View) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		v, _, err = tx.ClaimView(0, time.Minute)
		return err
	})
	return v
}

func (w *world) showed(text string) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.ShowedView(comment, text, "9", time.Time{}) })
}

package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestLinks(t *testing.T) { prove(t, links) }

var links = []test{
	{"an offer to link is completed once, and in time (T27)", func(w *world) {
		ann, bob := store.SlackUser{Team: "T1", ID: "U1"}, store.SlackUser{Team: "T1", ID: "U2"}
		w.update(func(tx *store.Tx) error {
			return tx.People.OfferLink(store.LinkOffer{State: "s1", For: ann, Name: "ann", Expires: start.Add(10 * time.Minute)})
		})
		w.update(func(tx *store.Tx) error {
			return tx.People.OfferLink(store.LinkOffer{State: "s2", For: bob, Name: "bob", Expires: start.Add(10 * time.Minute)})
		})
		w.ErrorIs(w.link("nothing", promotion.Actor{ID: 7, Login: "ann"}), store.ErrOfferOver)
		w.NoError(w.link("s1", promotion.Actor{ID: 7, Login: "ann"}))
		w.ErrorIs(w.link("s1", promotion.Actor{ID: 8, Login: "eve"}), store.ErrOfferOver)
		w.clock.advance(10 * time.Minute)
		w.ErrorIs(w.link("s2", promotion.Actor{ID: 9, Login: "bob"}), store.ErrOfferOver)
		w.view(func(tx *store.Tx) error {
			who, known, err := tx.People.Linked(ann)
			w.True(known)
			w.Equal(promotion.Actor{ID: 7, Login: "ann"}, who)
			return err
		})
	}},
	{"a GitHub account belongs to one person in Slack (T27)", func(w *world) {
		for state, user := range map[string]string{"s1": "U1", "s2": "U2", "s3": "U1"} {
			w.update(func(tx *store.Tx) error {
				return tx.People.OfferLink(store.LinkOffer{
					State: state, For: store.SlackUser{Team: "T1", ID: user}, Expires: start.Add(time.Hour),
				})
			})
		}
		w.NoError(w.link("s1", promotion.Actor{ID: 7, Login: "ann"}))
		w.ErrorIs(w.link("s2", promotion.Actor{ID: 7, Login: "ann"}), store.ErrLinkedElsewhere)
		w.NoError(w.link("s3", promotion.Actor{ID: 9, Login: "annie"}), "another account takes the place of the one before")
		w.NoError(w.link("s2", promotion.Actor{ID: 7, Login: "ann"}), "which is free then")
		w.update(func(tx *store.Tx) error { return tx.People.Unlink(store.SlackUser{Team: "T1", ID: "U2"}) })
		w.view(func(tx *store.Tx) error {
			who, _, err := tx.People.Linked(store.SlackUser{Team: "T1", ID: "U1"})
			w.Equal(promotion.Actor{ID: 9, Login: "annie"}, who)
			_, linked, err2 := tx.People.Linked(store.SlackUser{Team: "T1", ID: "U2"})
			w.False(linked)
			return errors.Join(err, err2)
		})
	}},
	{"whoever wants no direct messages is not among those who can be told", func(w *world) {
		for i, user := range []string{"U1", "U2", "U3"} {
			w.update(func(tx *store.Tx) error {
				return tx.People.OfferLink(store.LinkOffer{
					State: user, For: store.SlackUser{Team: "T1", ID: user}, Expires: tx.Now.Add(time.Hour),
				})
			})
			w.NoError(w.link(user, promotion.Actor{ID: int64(7 + i), Login: "ann"}))
			w.clock.advance(time.Minute)
		}
		reachable := func(most int) (users []string) {
			w.view(func(tx *store.Tx) error {
				all, err := tx.People.Reachable("T1", 1, most)
				for _, l := range all {
					users = append(users, l.User.ID)
				}
				return err
			})
			return users
		}
		quiet := func(user string, quiet bool) (linked bool) {
			w.update(func(tx *store.Tx) (err error) {
				linked, err = tx.People.Quiet(store.SlackUser{Team: "T1", ID: user}, quiet)
				return err
			})
			return linked
		}
		w.Equal([]string{"U1", "U2", "U3"}, reachable(9))
		w.True(quiet("U2", true))
		w.Equal([]string{"U1", "U3"}, reachable(9))
		w.True(quiet("U2", false))
		w.Equal([]string{"U1", "U2"}, reachable(2))
		w.False(quiet("U4", true), "they are not linked")
	}},
}

// link completes an offer to link an account.
func (w *world) link(state string, who promotion.Actor) error {
	return w.store.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.People.CompleteLink(state, who)
		return err
	})
}

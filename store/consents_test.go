package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestConsents(t *testing.T) { prove(t, consents) }

var consents = []test{
	{"a repository allows what its file says now, whatever its name", func(w *world) {
		set := func(repo promotion.Repo, id int64, homes map[promotion.Repo]int64) (changed bool) {
			now := store.Consents{}
			for home, meant := range homes {
				now.Mean(home, meant)
			}
			w.update(func(tx *store.Tx) (err error) {
				changed, err = tx.Names.SetConsents(repo, id, now)
				return err
			})
			return changed
		}
		allows := func(repo, home promotion.Repo, id int64) (allows bool) {
			w.view(func(tx *store.Tx) (err error) {
				allows, err = tx.Names.Consents(repo, home, id)
				return err
			})
			return allows
		}
		both := map[promotion.Repo]int64{"acme/Deploy": 7, "acme/other": 0}
		w.False(allows("globex/web", "acme/deploy", 7))
		w.True(set("Globex/web", 5, both))
		w.True(allows("globex/Web", "ACME/deploy", 7))
		w.False(allows("globex/web", "acme/deploy", 8), "another repository has the name")
		w.False(allows("globex/web", "acme/other", 8), "the name meant none")
		w.False(allows("globex/web", "acme/dep", 7))
		w.False(set("globex/web", 5, both), "nothing is new")
		w.view(func(tx *store.Tx) error {
			known, err := tx.Names.ConsentsOf(5)
			w.Equal(store.Consents{"acme/deploy": 7, "acme/other": 0}, known)
			id, noted := known.Means("Acme/Deploy")
			w.Equal(int64(7), id)
			w.True(noted)
			known.End("Acme/deploy")
			_, noted = known.Means("acme/deploy")
			w.False(noted)
			return err
		})
		w.view(func(tx *store.Tx) error {
			owners, err := tx.Names.ConsentingOwners("acme/deploy")
			w.Equal([]string{"globex"}, owners)
			return err
		})
		w.True(set("globex/web", 5, map[promotion.Repo]int64{"acme/deploy": 8}))
		w.True(allows("globex/web", "acme/deploy", 8))
		w.True(set("globex/www", 5, map[promotion.Repo]int64{"acme/deploy": 8}))
		w.False(allows("globex/web", "acme/deploy", 8), "it has another name now")
		w.True(allows("globex/www", "acme/deploy", 8))
		w.True(set("globex/www", 5, nil))
		w.False(set("globex/web", 5, nil), "nothing is new")
		w.False(allows("globex/www", "acme/deploy", 8))
	}},
}

package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestConsents(t *testing.T) { prove(t, consents) }

var consents = []test{
	{"a repository allows what its file says now, whatever its name", func(w *world) {
		set := func(repo promotion.Repo, id int64, homes ...promotion.Repo) (changed bool) {
			w.update(func(tx *store.Tx) (err error) {
				changed, err = tx.Names.SetConsents(repo, id, homes)
				return err
			})
			return changed
		}
		allows := func(repo, home promotion.Repo) (allows bool) {
			w.view(func(tx *store.Tx) (err error) {
				allows, err = tx.Names.Consents(repo, home)
				return err
			})
			return allows
		}
		w.False(allows("globex/web", "acme/deploy"))
		w.True(set("Globex/web", 5, "acme/Deploy", "acme/other", "acme/deploy"))
		w.True(allows("globex/Web", "ACME/deploy"))
		w.False(allows("globex/web", "acme/dep"))
		w.False(set("globex/web", 5, "acme/other", "acme/deploy"), "nothing is new")
		w.view(func(tx *store.Tx) error {
			owners, err := tx.Names.ConsentingOwners("acme/deploy")
			w.Equal([]string{"globex"}, owners)
			return err
		})
		w.True(set("globex/www", 5, "acme/deploy"))
		w.False(allows("globex/web", "acme/deploy"), "it has another name now")
		w.True(allows("globex/www", "acme/deploy"))
		w.True(set("globex/www", 5))
		w.False(allows("globex/www", "acme/deploy"))
	}},
}

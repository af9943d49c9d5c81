package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestAllowances(t *testing.T) { prove(t, allowances) }

var allowances = []test{
	{"a name means what it meant first, until the repository takes the allowance back", func(w *world) {
		given := store.Allowance{Repo: "acme/api", RepoID: 5, Home: "acme/deploy", HomeID: 1}
		taken := given
		taken.RepoID = 9
		note := func(a store.Allowance) (first int64) {
			w.update(func(tx *store.Tx) (err error) {
				first, err = tx.Names.NoteAllowance(a)
				return err
			})
			return first
		}
		w.Equal(given.RepoID, note(given))
		w.Equal(given.RepoID, note(taken))
		w.update(func(tx *store.Tx) error { return tx.Names.EndAllowance(taken) })
		w.Equal(given.RepoID, note(taken), "another repository takes nothing back")
		w.update(func(tx *store.Tx) error { return tx.Names.EndAllowance(given) })
		w.Equal(taken.RepoID, note(taken))
		anew := given
		anew.HomeID = 2
		w.Equal(given.RepoID, note(anew), "another home of the name means what it means itself")
		w.Equal(taken.RepoID, note(taken), "of the old one nothing is known any more")
	}},
	{"what a pipeline names no more is forgotten, by itself only", func(w *world) {
		given := store.Allowance{Repo: "acme/api", RepoID: 5, Home: "acme/deploy", HomeID: 1}
		named := func(promotion.Repo) bool { return false }
		noted := func() (found bool) {
			w.view(func(tx *store.Tx) (err error) {
				_, found, err = tx.Names.Allowance(given)
				return err
			})
			return found
		}
		w.update(func(tx *store.Tx) error {
			_, err := tx.Names.NoteAllowance(given)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Names.KeepAllowances("acme/deploy", 9, named) })
		w.True(noted(), "a repository that has taken the name forgets nothing")
		w.update(func(tx *store.Tx) error {
			return tx.Names.KeepAllowances("acme/deploy", 1, func(r promotion.Repo) bool { return r == "acme/api" })
		})
		w.True(noted())
		w.update(func(tx *store.Tx) error { return tx.Names.KeepAllowances("acme/deploy", 1, named) })
		w.False(noted())
	}},
}

// TestWhoHasOnlyTheNameTookIt tells a repository that a pipeline means from others of its name.
func TestWhoHasOnlyTheNameTookIt(t *testing.T) { prove(t, tookNames) }

var tookNames = []test{
	{"only another id under a noted name has taken it", func(w *world) {
		w.update(func(tx *store.Tx) error {
			_, err := tx.Names.NoteAllowance(store.Allowance{Repo: "acme/api", RepoID: 5, Home: "acme/deploy", HomeID: 1})
			return err
		})
		for _, row := range []struct {
			repo promotion.Repo
			id   int64
			took bool
		}{{"acme/api", 5, false}, {"acme/api", 9, true}, {"acme/web", 9, false}} {
			took, err := w.store.TookName(w.Context(), row.repo, row.id)
			w.NoError(err)
			w.Equal(row.took, took, row)
		}
	}},
}

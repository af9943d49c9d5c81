package store_test

import (
	"testing"

	"waybill/store"
)

func TestScopes(t *testing.T) { prove(t, scopes) }

var scopes = []test{
	{"a token is bound to who had a name first, until its line does not have the name", func(w *world) {
		note := func(id int64) (first int64) {
			w.update(func(tx *store.Tx) (err error) {
				first, err = tx.Names.NoteScope(store.ScopeOf("ci", "Acme/Deploy", id))
				return err
			})
			return first
		}
		keep := func(bound bool) {
			w.update(func(tx *store.Tx) error { return tx.Names.KeepScopes(func(store.Scope) bool { return bound }) })
		}
		w.Equal(int64(5), note(5))
		w.Equal(int64(5), note(9))
		keep(true)
		w.Equal(int64(5), note(9))
		keep(false)
		w.Equal(int64(9), note(9))
		w.view(func(tx *store.Tx) error {
			all, err := tx.Names.Scopes()
			w.Equal([]store.Scope{{Holder: "ci", Repo: "acme/deploy", ID: 9}}, all)
			return err
		})
	}},
}

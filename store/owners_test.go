package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestOwners(t *testing.T) { prove(t, owners) }

var owners = []test{
	{"a name means whoever had it first, until it is not named any more", func(w *world) {
		note := func(id int64) (first int64) {
			w.update(func(tx *store.Tx) (err error) {
				first, err = tx.Names.NoteOwner("acme", id)
				return err
			})
			return first
		}
		keep := func(names ...promotion.Login) {
			w.update(func(tx *store.Tx) error { return tx.Names.KeepOwners(names) })
		}
		w.Equal(int64(5), note(5))
		w.Equal(int64(5), note(9))
		keep("acme", "globex")
		w.Equal(int64(5), note(9))
		keep("globex")
		w.Equal(int64(9), note(9))
	}},
}

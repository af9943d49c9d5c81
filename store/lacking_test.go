package store_test

import (
	"testing"

	"waybill/store"
)

func TestLacking(t *testing.T) { prove(t, lackings) }

var lackings = []test{
	{"the pipelines that lack something are those that were noted last", func(w *world) {
		for _, noted := range [][]int64{{pipeline}, nil} {
			w.update(func(tx *store.Tx) error { return tx.Clocks.NoteLacking(noted) })
			w.view(func(tx *store.Tx) error {
				lacking, err := tx.Clocks.Lacking()
				w.Equal(noted, lacking)
				return err
			})
		}
	}},
}

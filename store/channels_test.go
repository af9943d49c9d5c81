package store_test

import (
	"testing"
	"time"

	"waybill/store"
)

func TestChannels(t *testing.T) { prove(t, channels) }

var channels = []test{
	{"a pipeline is told of in a channel if its owner has claimed it (T22)", func(w *world) {
		claim := func(id, name string, installation int64) {
			w.update(func(tx *store.Tx) error {
				return tx.Names.ClaimChannel(store.Channel{ID: id, Name: name, Installation: installation})
			})
			w.clock.advance(time.Second)
		}
		read := func(sole bool) (c store.Channels) {
			w.view(func(tx *store.Tx) (err error) {
				c, err = tx.Names.Channels(sole)
				return err
			})
			return c
		}
		w.Empty(read(false).Of(1, "#deploys"))
		w.Equal("#deploys", read(true).Of(1, "#deploys"), "a sole owner needs no claim")
		w.Empty(read(true).Of(1, ""))
		claim("C1", "#deploys", 1)
		claim("C1", "#deploys", 2)
		claim("C2", "", 1)
		for _, wish := range []string{"C1", "#deploys"} {
			w.Equal("C1", read(false).Of(1, wish))
			w.Equal("C1", read(false).Of(2, wish))
			w.Empty(read(false).Of(3, wish))
		}
		w.Empty(read(false).Of(1, ""), "the name of a channel may be unknown")
		w.Empty(read(false).Of(2, "C2"))
		w.update(func(tx *store.Tx) error { return tx.Names.UnclaimChannel("C1", 1) })
		w.Empty(read(false).Of(1, "#deploys"))
		w.Equal("C1", read(false).Of(2, "#deploys"))
		claim("C3", "#deploys", 2)
		w.Equal("C3", read(false).Of(2, "#deploys"), "another channel has the name by now")
		claim("C1", "#old", 2)
		w.Empty(read(false).Of(1, "C1"))
		w.Equal("C1", read(false).Of(2, "#old"), "claimed again, it is known by its new name")
	}},
}

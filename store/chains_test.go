package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"waybill/store"
)

func TestChains(t *testing.T) { prove(t, chains) }

var chains = []test{
	{"each pipeline has a chain of its own, numbered without gaps whatever happens elsewhere", func(w *world) {
		w.loggedOn(7, "a")
		w.loggedOn(8, "b")
		w.update(func(tx *store.Tx) error {
			return tx.Audit.Log(said(8, "c"), said(7, "d"), said(7, "e"), said(8, "f"))
		})
		w.Equal([]string{"a", "d", "e"}, w.texts(7))
		w.Equal([]string{"b", "c", "f"}, w.texts(8))
		w.Equal(int64(3), w.trail(7, 2)[0].Seq)
		w.checked(6 + 2)
	}},
	{"the server's chain says when a chain is opened, with its first lines", func(w *world) {
		w.loggedOn(7, "a")
		w.loggedOn(7, "b")
		w.Equal([]noted{{"opened", 7, 1, 0}}, w.notes())
	}},
	{"once a day the server's chain names the chains that have grown", func(w *world) {
		w.loggedOn(7, "a")
		w.loggedOn(8, "b", "c")
		w.loggedOn(9, "d", "e")
		w.Equal(2, w.noteChains(10), "of the other one all is known")
		w.Equal([]noted{{"noted", 8, 2, 0}, {"noted", 9, 2, 0}}, w.notes()[3:])
		w.Zero(w.noteChains(10))
		w.loggedOn(9, "f")
		w.loggedOn(8, "g")
		w.Equal(1, w.noteChains(1), "a few at a time")
		w.Equal(noted{"noted", 8, 3, 0}, w.notes()[5])
		w.checked(7 + 6)
	}},
	{"a chain that does not grow is named again after a month", func(w *world) {
		w.loggedOn(7, "a")
		w.clock.advance(29 * 24 * time.Hour)
		w.Zero(w.noteChains(10))
		w.clock.advance(2 * 24 * time.Hour)
		w.Equal(1, w.noteChains(10))
	}},
	{"the server's chain says when the file of a pipeline is gone, and when it has come back", func(w *world) {
		w.loggedOn(7, "a", "b")
		save := func(config string) {
			w.update(func(tx *store.Tx) error {
				r := row()
				r.Config = []byte(config)
				return tx.Pipelines.Save(r, w.pipeline)
			})
		}
		save("")
		w.loggedOn(7, "cancelled")
		save("version: 1")
		save("version: 1 # changed")
		w.Equal([]noted{{"opened", 7, 1, 0}, {"ended", 7, 2, 0}, {"opened", 7, 3, 0}}, w.notes())
	}},
	{"retention shortens each chain, and the server's chain says how far", func(w *world) {
		w.loggedOn(7, "a", "b", "c")
		w.loggedOn(8, "d")
		w.clock.advance(time.Hour)
		begun := w.clock.Now()
		w.loggedOn(7, "e")
		w.Equal(int64(3+1), w.prune(begun), "the server's chain has said nothing newer of the chain 8")
		w.Equal([]string{"e"}, w.texts(7))
		w.Empty(w.texts(8))
		w.Equal([]noted{{"shortened", 7, 4, 2}, {"shortened", 7, 4, 3}, {"shortened", 8, 1, 1}}, w.notes()[2:])
		w.Equal(int64(1+1), w.prune(begun), "the lines that say that the chains were opened")
		w.Equal(noted{"shortened", store.ServerChain, 5, 2}, w.notes()[3])
		w.checked(1 + 4)
		w.loggedOn(8, "g")
		w.checked(2 + 4)
	}},
	{"what the server's chain has said last of a chain is never removed", func(w *world) {
		w.loggedOn(7, "a")
		w.logged("x")
		later := func() time.Time {
			w.clock.advance(200 * 24 * time.Hour)
			return w.clock.Now()
		}
		w.Equal(int64(1), w.prune(later()), "the line about the pipeline, which the server's chain notes")
		w.Equal(int64(2), w.prune(later()), "what was before that in the server's chain")
		w.Zero(w.prune(later()))
		w.checked(2)
		w.Equal(2, w.noteChains(10), "both chains have been silent for long")
		w.Equal(int64(2), w.prune(later()))
		w.checked(3)
	}},
	{"the newest line about a pipeline is known, and there may be none", func(w *world) {
		w.loggedOn(7, "a", "b")
		w.view(func(tx *store.Tx) error {
			last, err := tx.Audit.LastEvent(7)
			w.NoError(err)
			w.Equal(int64(2), last)
			last, err = tx.Audit.LastEvent(8)
			w.Zero(last)
			return err
		})
	}},
}

func said(pipeline int64, text string) store.Event {
	return store.Event{Pipeline: pipeline, Kind: store.EventAlert, Word: "test", Text: text}
}

// loggedOn writes lines about a pipeline, each in its own transaction.
func (w *world) loggedOn(pipeline int64, texts ...string) {
	w.Helper()
	for _, text := range texts {
		w.update(func(tx *store.Tx) error { return tx.Audit.Log(said(pipeline, text)) })
	}
}

func (w *world) texts(pipeline int64) (all []string) {
	w.Helper()
	for _, e := range w.eventsOf(pipeline) {
		all = append(all, e.Text)
	}
	return all
}

// noted is a line of the server's chain about a chain.
type noted struct {
	Word                      string
	Pipeline, Seq, RemovedSeq int64
}

// notes returns the lines of the server's chain about chains, in order.
func (w *world) notes() (all []noted) {
	w.Helper()
	for _, e := range w.eventsOf(store.ServerChain) {
		if e.Kind != store.EventChain {
			continue
		}
		var n struct {
			Pipeline, Seq int64
			RemovedSeq    int64 `json:"removed_seq"`
		}
		w.NoError(json.Unmarshal([]byte(e.Text), &n))
		all = append(all, noted{e.Word, n.Pipeline, n.Seq, n.RemovedSeq})
	}
	return all
}

// noteChains has the server's chain record the chains that are due, and returns their number.
func (w *world) noteChains(limit int) (n int) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		n, err = tx.Audit.NoteChains(limit)
		return err
	})
	return n
}

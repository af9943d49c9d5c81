package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"waybill/store"
	"waybill/store/driver"
)

func TestTransactions(t *testing.T) { prove(t, transactions) }

var transactions = []test{
	{"an error undoes what its own caller wrote and nothing else", func(w *world) {
		bad := errors.New("bad")
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				err := w.store.Update(context.Background(), func(tx *store.Tx) error {
					if err := tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: fmt.Sprint(i % 2)}); err != nil || i%2 == 0 {
						return err
					}
					return bad
				})
				if i%2 == 1 && !errors.Is(err, bad) || i%2 == 0 && err != nil {
					w.T.Errorf("caller %d got %v", i, err)
				}
			})
		}
		all.Wait()
		w.Equal(20, len(w.serverEvents()), "lines of those that did not fail")
		for _, e := range w.serverEvents() {
			w.Equal("0", e.Word)
		}
	}},
	{"a panic undoes what its caller wrote and is returned as an error", func(w *world) {
		err := w.store.Update(context.Background(), func(tx *store.Tx) error {
			_ = tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "lost"})
			panic("at the disco")
		})
		w.ErrorContains(err, "at the disco")
		w.Empty(w.serverEvents())
		w.ErrorContains(w.store.View(context.Background(), func(*store.Tx) error { panic("again") }), "again")
	}},
	{"a caller whose goroutine ends keeps nobody waiting", func(w *world) {
		var gone sync.WaitGroup
		gone.Go(func() {
			_ = w.store.Update(context.Background(), func(tx *store.Tx) error {
				_ = tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "lost"})
				runtime.Goexit()
				return nil
			})
		})
		gone.Wait()
		w.Empty(w.serverEvents())
	}},
	{"a context that has ended gets no turn", func(w *world) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		turned := false
		for range 20 {
			if err := w.store.Update(ctx, func(*store.Tx) error { turned = true; return nil }); err != nil {
				w.ErrorIs(err, context.Canceled)
			}
		}
		w.False(turned)
	}},
	{"what has been written is read by the next reader", func(w *world) {
		for i := range 50 {
			w.update(func(tx *store.Tx) error {
				return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: fmt.Sprint(i)})
			})
			w.Len(w.serverEvents(), i+1)
		}
	}},
	{"a closed store says so", func(w *world) {
		w.NoError(w.store.Close())
		w.NoError(w.store.Close(), "closing twice")
		w.ErrorIs(w.store.Update(context.Background(), func(*store.Tx) error { return nil }), driver.ErrClosed)
		w.ErrorIs(w.store.View(context.Background(), func(*store.Tx) error { return nil }), driver.ErrClosed)
	}},
}

// events returns the lines about the world's pipeline.
func (w *world) events() []store.Event { return w.eventsOf(pipeline) }

// serverEvents returns the lines about no pipeline, except those about chains.
func (w *world) serverEvents() []store.Event {
	about := func(e store.Event) bool { return e.Kind == store.EventChain }
	return slices.DeleteFunc(w.eventsOf(store.ServerChain), about)
}

func (w *world) eventsOf(pipeline int64) (all []store.Event) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		all, err = tx.Audit.Events(pipeline, 0, 1000)
		return err
	})
	return all
}

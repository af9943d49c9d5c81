package store_test

import (
	"testing"

	"waybill/store"
)

func TestEventsToSend(t *testing.T) { prove(t, sending) }

// unsent returns what is to be sent behind a pipeline; nil if there is nothing.
func (w *world) unsent(after int64) (u *store.Unsent) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		u, err = tx.Audit.NextUnsent(after)
		return err
	})
	return u
}

// sends calls a function that changes what is sent.
func (w *world) sends(change func(store.Audit) error) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return change(tx.Audit) })
}

var sending = []test{
	{"a new receiver gets what happens from then on, and an old one goes on where it was", func(w *world) {
		w.loggedOn(pipeline, "before")
		w.sends(store.Audit.SendEvents)
		w.Nil(w.unsent(0))
		w.loggedOn(pipeline, "a", "b")
		u := w.unsent(0)
		w.Equal(home, u.Repo)
		var seq int64
		w.view(func(tx *store.Tx) error {
			lines, err := tx.Audit.Events(u.Pipeline, u.After, 10)
			w.Len(lines, 2)
			w.Equal("a", lines[0].Text)
			seq = lines[0].Seq
			return err
		})
		w.sends(func(au store.Audit) error { return au.NoteSent(pipeline, seq) })
		w.sends(store.Audit.SendEvents) // after a restart
		w.Equal(u.After+1, w.unsent(0).After)
		w.sends(func(au store.Audit) error { return au.NoteSent(u.Pipeline, u.After) })
		w.Equal(u.After+1, w.unsent(0).After, "what was sent stays so")
		w.Nil(w.unsent(pipeline), "there is no pipeline behind it")
	}},
	{"a pipeline that comes later is sent from its first line on", func(w *world) {
		w.sends(store.Audit.SendEvents)
		w.found(quiet)
		w.loggedOn(quiet, "first")
		for range 2 {
			u := w.unsent(pipeline)
			w.Equal(int64(quiet), u.Pipeline)
			w.Zero(u.After)
			w.sends(store.Audit.SendEvents) // a restart loses nothing of it
		}
	}},
	{"a receiver that was away in the settings gets nothing of the time between", func(w *world) {
		w.sends(store.Audit.SendEvents)
		w.sends(store.Audit.SendNoEvents)
		w.loggedOn(pipeline, "unheard")
		w.sends(store.Audit.SendEvents)
		w.Nil(w.unsent(0))
	}},
	{"it is due to send once that is asked for", func(w *world) {
		ring := func() (c *store.Clock) {
			w.update(func(tx *store.Tx) (err error) {
				c, _, err = tx.Clocks.ClaimClock(store.ClockEvents, aMinute)
				return err
			})
			return c
		}
		w.Nil(ring())
		w.update(func(tx *store.Tx) error { return tx.Clocks.AskEvents() })
		w.NotNil(ring())
	}},
}

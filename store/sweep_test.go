package store_test

import (
	"testing"
	"time"

	"waybill/store"
)

func TestSweep(t *testing.T) { prove(t, sweep) }

var sweep = []test{
	{"a sweep is due when it is told to be (F4)", func(w *world) {
		w.Zero(w.sweep())
		w.update(func(tx *store.Tx) error { return tx.Inbox.SweepFailed("502", start.Add(time.Minute)) })
		w.update(func(tx *store.Tx) error { return tx.Inbox.SweepFailed("503", start.Add(time.Hour)) })
		s := w.sweep()
		w.Equal(store.Sweep{Due: start.Add(time.Hour), Failures: 2, Error: "503"}, s)
		w.update(func(tx *store.Tx) error {
			return tx.Inbox.Swept(start, start.Add(-time.Minute), start.Add(time.Second))
		})
		w.Equal(store.Sweep{Due: start.Add(time.Second), Swept: start, ReadTo: start.Add(-time.Minute)}, w.sweep())
		w.clock.advance(time.Hour)
		w.update(func(tx *store.Tx) error { return tx.Inbox.AskSweep() })
		w.Equal(start.Add(time.Hour), w.sweep().Due)
	}},
	{"a missed delivery is asked for when it is its turn, and again until it is forgotten (F4)", func(w *world) {
		w.True(w.miss(store.Missed{GUID: "late", Attempt: 1, First: start, RunAt: start.Add(time.Second)}))
		w.True(w.miss(store.Missed{GUID: "soon", Attempt: 2, First: start, RunAt: start}))
		m, _ := w.nextMissed()
		w.Equal("soon", m.GUID)
		w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor("soon", "502", start.Add(time.Hour)) })
		m, wake := w.nextMissed()
		w.Nil(m)
		w.Equal(start.Add(time.Second), wake)
		w.update(func(tx *store.Tx) error { return tx.Inbox.ForgetMissed("late") })
		w.clock.advance(time.Hour)
		m, _ = w.nextMissed()
		w.Equal(1, m.Tries)
		w.Equal("502", m.Error)
	}},
	{"a delivery that is missed twice is missed once (F4)", func(w *world) {
		w.True(w.miss(store.Missed{GUID: "g", Attempt: 1, First: start, RunAt: start}))
		w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor("g", "", start.Add(time.Hour)) })
		w.False(w.miss(store.Missed{GUID: "g", Attempt: 9, First: start.Add(time.Minute), RunAt: start}))
		m, wake := w.nextMissed()
		w.Nil(m)
		w.Equal(start.Add(time.Hour), wake)
		w.clock.advance(time.Hour)
		m, _ = w.nextMissed()
		w.EqualValues(1, m.Attempt)
		w.Equal(start, m.First)
	}},
	{"what GitHub tried first is asked for first, whenever it became due (F4)", func(w *world) {
		w.miss(store.Missed{GUID: "a", Attempt: 1, First: start.Add(time.Minute), RunAt: start})
		w.miss(store.Missed{GUID: "b", Attempt: 2, First: start, RunAt: start.Add(time.Second)})
		m, _ := w.nextMissed()
		w.Equal("a", m.GUID)
		w.clock.advance(time.Second)
		m, _ = w.nextMissed()
		w.Equal("b", m.GUID)
	}},
	{"GitHub is asked for one after the other (F4)", func(w *world) {
		w.miss(store.Missed{GUID: "a", Attempt: 1, First: start, RunAt: start})
		w.update(func(tx *store.Tx) error { return tx.Inbox.AskNext(start.Add(time.Second)) })
		m, wake := w.nextMissed()
		w.Nil(m)
		w.Equal(start.Add(time.Second), wake)
		w.clock.advance(time.Second)
		m, _ = w.nextMissed()
		w.Equal("a", m.GUID)
	}},
	{"what GitHub was asked for and has not come is asked for anew (F4)", func(w *world) {
		for _, guid := range []string{"a", "b", "refused", "waiting"} {
			w.miss(store.Missed{GUID: guid, Attempt: 1, First: start, RunAt: start.Add(2 * time.Hour)})
		}
		w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor("b", "", start.Add(30*time.Minute)) })
		w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor("a", "", start.Add(15*time.Minute)) })
		w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor("refused", "a pause", start.Add(time.Hour)) })
		w.update(func(tx *store.Tx) error { return tx.Inbox.AskAnew() })
		due := map[string]time.Duration{}
		w.view(func(tx *store.Tx) error {
			all, err := tx.Inbox.MissedBefore(start.Add(time.Second))
			for _, m := range all {
				due[m.GUID] = m.RunAt.Sub(start)
			}
			return err
		})
		w.Equal(map[string]time.Duration{"a": 0, "b": 0, "refused": time.Hour, "waiting": 2 * time.Hour}, due)
	}},
	{"what the inbox holds was not missed (F4)", func(w *world) {
		w.accept("g", "body")
		w.False(w.miss(store.Missed{GUID: "g", Attempt: 1, First: start, RunAt: start}))
		m, wake := w.nextMissed()
		w.Nil(m)
		w.True(wake.IsZero())
	}},
	{"the oldest of what was missed are known (F4)", func(w *world) {
		w.miss(store.Missed{GUID: "new", Attempt: 1, First: start, RunAt: start})
		w.miss(store.Missed{GUID: "old", Attempt: 1, First: start.Add(-time.Second), RunAt: start})
		w.view(func(tx *store.Tx) error {
			old, err := tx.Inbox.MissedBefore(start)
			w.Len(old, 1)
			w.Equal("old", old[0].GUID)
			return err
		})
	}},
}

func (w *world) sweep() (s store.Sweep) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		s, err = tx.Inbox.Sweep()
		return err
	})
	return s
}

func (w *world) miss(m store.Missed) (fresh bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		fresh, err = tx.Inbox.RecordMissed(m)
		return err
	})
	return fresh
}

func (w *world) nextMissed() (m *store.Missed, wake time.Time) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		m, wake, err = tx.Inbox.NextMissed()
		return err
	})
	return m, wake
}

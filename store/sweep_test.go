package store_test

import (
	"testing"
	"time"

	"waybill/store"
)

func TestSweep(t *testing.T) { prove(t, sweep) }

var sweep = []test{
	{"a sweep is due when it is told to be (F4)", func(w *world) {
		w.Nil(w.ring(store.ClockSweep))
		w.update(func(tx *store.Tx) error { return tx.Inbox.AskSweep() })
		c := w.ring(store.ClockSweep)
		w.NotNil(c)
		w.update(func(tx *store.Tx) error { return tx.Clocks.ClockFailed(c, "502", start.Add(time.Minute)) })
		w.clock.advance(time.Minute)
		c = w.ring(store.ClockSweep)
		w.update(func(tx *store.Tx) error { return tx.Clocks.ClockFailed(c, "503", start.Add(time.Hour)) })
		w.Nil(w.ring(store.ClockSweep))
		w.clock.advance(time.Hour)
		c = w.ring(store.ClockSweep)
		w.Equal(2, c.Failures)
		w.Equal("503", c.Error)
		w.update(func(tx *store.Tx) error {
			return tx.Inbox.Swept(c, start, start.Add(-time.Minute), start.Add(2*time.Hour))
		})
		w.view(func(tx *store.Tx) error {
			c, err := tx.Clocks.Clock(store.ClockSweep)
			w.Equal(store.Clock{Name: store.ClockSweep, Done: start, Due: start.Add(2 * time.Hour)}, c)
			to, err2 := tx.Inbox.ReadTo()
			w.Equal(start.Add(-time.Minute), to)
			w.NoError(err2)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Inbox.AskSweep() })
		w.NotNil(w.ring(store.ClockSweep))
	}},
	{"a missed delivery is asked for when it is its turn, and again until it is forgotten (F4)", func(w *world) {
		w.True(w.miss(store.Missed{GUID: "late", Attempt: 1, First: start, RunAt: start.Add(time.Second)}))
		w.True(w.miss(store.Missed{GUID: "soon", Attempt: 2, First: start, RunAt: start}))
		m, _ := w.nextMissed()
		w.Equal("soon", m.GUID)
		w.asked(m, "502", start.Add(time.Hour))
		m, wake := w.nextMissed()
		w.Nil(m)
		w.Equal(start.Add(time.Second), wake)
		w.update(func(tx *store.Tx) error { return tx.Inbox.ForgetMissed("late") })
		w.clock.advance(time.Hour)
		m, _ = w.nextMissed()
		w.Equal(2, m.Tries)
		w.Equal("502", m.Error)
	}},
	{"a delivery that is missed twice is missed once (F4)", func(w *world) {
		w.True(w.miss(store.Missed{GUID: "g", Attempt: 1, First: start, RunAt: start}))
		m, _ := w.nextMissed()
		w.asked(m, "", start.Add(time.Hour))
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
		w.miss(store.Missed{GUID: "b", Attempt: 2, First: start, RunAt: start})
		claim := func() (m *store.Missed, wake time.Time) {
			w.update(func(tx *store.Tx) (err error) {
				m, wake, err = tx.Inbox.ClaimMissed(aMinute, time.Second)
				return err
			})
			return m, wake
		}
		m, _ := claim()
		w.Equal("a", m.GUID)
		m, wake := claim()
		w.Nil(m)
		w.Equal(start.Add(time.Second), wake)
		w.clock.advance(time.Second)
		m, _ = claim()
		w.Equal("b", m.GUID)
	}},
	{"what GitHub was asked for and has not come is asked for anew (F4)", func(w *world) {
		w.miss(store.Missed{GUID: "waiting", Attempt: 1, First: start, RunAt: start.Add(2 * time.Hour)})
		for guid, trouble := range map[string]string{"a": "", "b": "", "refused": "a pause"} {
			w.miss(store.Missed{GUID: guid, Attempt: 1, First: start, RunAt: start})
			m, _ := w.nextMissed()
			w.asked(m, trouble, start.Add(time.Hour))
		}
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

// asked records a request to GitHub for a missed delivery.
func (w *world) asked(m *store.Missed, trouble string, again time.Time) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Inbox.MissedAskedFor(m, trouble, again) })
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
		m, wake, err = tx.Inbox.ClaimMissed(aMinute, 0)
		return err
	})
	return m, wake
}

package gh

import (
	"net/http"
	"sync/atomic"
	"time"
)

// githubClock is GitHub's clock, as far as its last answer tells.
type githubClock struct {
	ours  func() time.Time
	ahead atomic.Int64 // how far it is ahead of ours, a time.Duration
}

// heard takes the date of an answer, to a request that was sent at a time by our clock.
func (c *githubClock) heard(answer http.Header, sent time.Time) {
	if date, err := http.ParseTime(answer.Get("Date")); err == nil {
		c.ahead.Store(int64(aheadBy(date, sent, c.ours())))
	}
}

// aheadBy returns how far a clock that shows whole seconds is ahead of ours, which showed two times before and after it
// was looked at; 0 if that is within what cannot be told.
func aheadBy(date, before, after time.Time) time.Duration {
	switch {
	case date.After(after):
		return date.Sub(after).Truncate(time.Second)
	case date.Add(time.Second).Before(before):
		return date.Add(time.Second).Sub(before).Truncate(time.Second)
	}
	return 0
}

// Ahead returns how far GitHub's clock was ahead of ours at its last answer, to the second; 0 before the first.
func (h *Hub) Ahead() time.Duration { return time.Duration(h.clock.ahead.Load()) }

// Told returns the time that it is at GitHub, by its last answer, to two seconds. What decides whether something counts
// that GitHub dates, such as a tag or a run, is compared with this time: ours may be wrong, and set right later.
func (h *Hub) Told() time.Time { return h.config.Clock().Add(h.Ahead()).Truncate(time.Second) }

// tolerance is how far two clocks may be apart and count as right (semantics 7.11): answers may be dated some seconds
// late.
const tolerance = time.Minute

// Time returns the time that it is at GitHub, by its last answer, to the minute. Where Waybill looks for what it may
// have missed, it begins minutes before, and small differences would only have it look again.
func (h *Hub) Time() time.Time {
	now, ahead := h.config.Clock(), h.Ahead()
	if ahead.Abs() <= tolerance {
		return now
	}
	return now.Add(ahead)
}

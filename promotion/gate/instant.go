package gate

import (
	"math"
	"time"
)

// instant is a time in nanoseconds since 1970: one decision compares thousands of them.
type instant int64

const (
	always instant = math.MinInt64 // before every time: there is nothing to wait for
	never  instant = math.MaxInt64 // after every time: an event must happen first
)

func instantOf(t time.Time) instant { return instant(t.UnixNano()) }

// orZero returns the time, and the zero time for never.
func (i instant) orZero() time.Time {
	if i == never {
		return time.Time{}
	}
	return i.time()
}

func (i instant) time() time.Time { return time.Unix(0, int64(i)).UTC() }

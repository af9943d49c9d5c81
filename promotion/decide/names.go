package decide

import (
	"math"
	"time"
)

// instant is a time in nanoseconds since 1970. One decision compares thousands of them.
type instant int64

const (
	always instant = math.MinInt64 // before every time: nothing needs to be waited for
	never  instant = math.MaxInt64 // after every time: what waits until then waits for an event, not for a clock
)

func instantOf(t time.Time) instant { return instant(t.UnixNano()) }

func (i instant) time() time.Time { return time.Unix(0, int64(i)).UTC() }

package torture

import (
	"time"
)

// Clock is how far the program's clock is off.
type Clock struct {
	skew    time.Duration
	slow    time.Duration // the least that it has ever been
	fast    time.Duration // the most
	stepped bool          // it has been set
}

// programNow is what the program's clock shows.
func (c *Clock) programNow() time.Time { return time.Now().Add(c.skew) }

// set has somebody set the clock.
func (c *Clock) set(by time.Duration) {
	c.skew += by
	c.slow, c.fast = min(c.slow, c.skew), max(c.fast, c.skew)
	c.stepped = true
}

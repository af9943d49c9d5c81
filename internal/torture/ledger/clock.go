package ledger

import "time"

// Clock is how far the program's clock is off.
type Clock struct {
	skew    time.Duration
	slow    time.Duration // the least that it has ever been
	fast    time.Duration // the most
	stepped bool
}

// Now is what the program's clock shows.
func (c *Clock) Now() time.Time { return time.Now().Add(c.skew) }

// Set sets the clock forward, or back.
func (c *Clock) Set(by time.Duration) {
	c.skew += by
	c.slow, c.fast = min(c.slow, c.skew), max(c.fast, c.skew)
	c.stepped = true
}

// Correct ends it that the clock is off.
func (c *Clock) Correct() { c.skew = 0 }

// Skew is how far the clock is off.
func (c *Clock) Skew() time.Duration { return c.skew }

// Stepped reports whether the clock has been set at some time.
func (c *Clock) Stepped() bool { return c.stepped }

// Uncertainty is by how much two times may differ that the program took from its clock at once.
func (c *Clock) Uncertainty() time.Duration { return c.fast - c.slow }

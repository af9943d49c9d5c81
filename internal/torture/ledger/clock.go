package ledger

import "time"

// Clock is the deviation of the program's clock from real time.
type Clock struct {
	skew    time.Duration
	slow    time.Duration // the smallest deviation so far
	fast    time.Duration // the largest
	stepped bool
}

// Now returns the time on the program's clock.
func (c *Clock) Now() time.Time { return time.Now().Add(c.skew) }

// Set moves the clock forward, or back.
func (c *Clock) Set(by time.Duration) {
	c.skew += by
	c.slow, c.fast = min(c.slow, c.skew), max(c.fast, c.skew)
	c.stepped = true
}

// Correct sets the clock right.
func (c *Clock) Correct() { c.skew = 0 }

// Skew returns the deviation of the clock.
func (c *Clock) Skew() time.Duration { return c.skew }

// Stepped reports whether the clock has ever been set.
func (c *Clock) Stepped() bool { return c.stepped }

// Uncertainty is the largest possible difference between two times that the program read at the same moment.
func (c *Clock) Uncertainty() time.Duration { return c.fast - c.slow }

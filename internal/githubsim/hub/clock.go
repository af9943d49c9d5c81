package hub

import "time"

// Clock is the time of everything that GitHub stamps, and the source of its ids.
type Clock struct {
	clock func() time.Time
	ids   int64
}

// NextID hands out ids in order of creation; all kinds share one sequence, so that ids are never mixed up unnoticed.
func (c *Clock) NextID() int64 {
	c.ids++
	return c.ids
}

// Now is the time cut to the second, which is all that GitHub tells.
func (c *Clock) Now() time.Time { return c.clock().UTC().Truncate(time.Second) }

// Exact is the time uncut, for limits and tokens.
func (c *Clock) Exact() time.Time { return c.clock().UTC() }

package sandbox

import (
	"sync"
	"time"
)

// clock is a clock that moves only by set.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	fast time.Duration // how far the program's clock is ahead of it
}

func newClock(start time.Time) *clock { return &clock{now: start} }

// Now returns the time on the clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// ours returns the time on the program's clock.
func (c *clock) ours() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.Add(c.fast)
}

// when returns the time on the clock at which the program's clock says t.
func (c *clock) when(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.Add(-c.fast)
}

// hurry has the program's clock be fast.
func (c *clock) hurry(fast time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fast = fast
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

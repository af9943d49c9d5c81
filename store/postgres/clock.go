package postgres

import (
	"sync/atomic"
	"time"
)

// serverClock tells the time of the database's server between two looks at it: leases run out by one clock for all who
// share the database, also for a process whose machine has stood still.
type serverClock struct {
	clock func() time.Time
	last  atomic.Pointer[look]
}

// look is a look at the server's clock, by both clocks.
type look struct{ server, here time.Time }

// set notes what the server's clock shows now.
func (c *serverClock) set(now time.Time) { c.last.Store(&look{now, c.clock()}) }

// now returns the time that the server's clock shows.
func (c *serverClock) now() time.Time {
	last := c.last.Load()
	return last.server.Add(c.clock().Sub(last.here))
}

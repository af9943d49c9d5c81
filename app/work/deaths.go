package work

import "time"

// ErrDeadly is the error of work in the middle of which the server has died again and again.
var ErrDeadly error = deadly{}

type deadly struct{}

// Error is for people who wait for the work, too.
func (deadly) Error() string {
	return "the server died five times in the middle of this; its log may say why"
}

// Again says that work at regular times is tried again after a minute. A server that is killed soon after each start
// dies in the middle of the same resync each time, and the resync is not the cause.
func (deadly) Again() (after time.Duration, again bool) { return time.Minute, true }

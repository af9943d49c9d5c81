package work

import "time"

// backoff is how long to wait before something is tried again that failed: base the first time, twice as long each
// further time, and most at the end.
type backoff struct{ Base, most time.Duration }

// After returns how long to wait after so many tries. If the other side asked for a time, it is that, but at least
// base.
func (b backoff) After(tries int, asked time.Duration) time.Duration {
	if asked > 0 {
		return max(asked, b.Base)
	}
	wait := b.Base
	for ; tries > 1 && wait < b.most; tries-- {
		wait *= 2
	}
	return min(wait, b.most)
}

var (
	// RequestBackoff is for what GitHub or Slack did not do.
	RequestBackoff = backoff{2 * time.Second, 5 * time.Minute}
	// DeliveryBackoff is for a delivery that failed for another reason: a person who puts something right has some hours.
	DeliveryBackoff = backoff{time.Minute, 64 * time.Minute}
	// ClockBackoff is for what is done at long intervals.
	ClockBackoff = backoff{time.Minute, time.Hour}
	// RedeliveryBackoff is how long a redelivery has to arrive before GitHub is asked for another one.
	RedeliveryBackoff = backoff{15 * time.Minute, 1024 * 15 * time.Minute}
	// stepBackoff is for the step of a worker that failed: mostly it was the database.
	stepBackoff = backoff{time.Second, time.Second}
)

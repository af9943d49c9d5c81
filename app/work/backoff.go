package work

import "time"

// backoff is the delay before failed work is tried again: Base the first time, twice as long each further time, at most
// the given maximum.
type backoff struct{ Base, most time.Duration }

// After returns the delay after a number of tries. If the other side asked for a delay, it returns that one, but at
// least Base.
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
	// RequestBackoff is for requests that GitHub or Slack did not carry out.
	RequestBackoff = backoff{2 * time.Second, 5 * time.Minute}
	// RefusedBackoff is for what GitHub refuses to show for good, such as a comment in a conversation that is locked:
	// until something else is to be shown, only people can change that.
	RefusedBackoff = backoff{2 * time.Second, 6 * time.Hour}
	// DeliveryBackoff is for a delivery that failed for another reason. A person has two hours to repair the cause.
	DeliveryBackoff = backoff{time.Minute, 64 * time.Minute}
	// ClockBackoff is for work that is done at long intervals.
	ClockBackoff = backoff{time.Minute, time.Hour}
	// RedeliveryBackoff is how long a redelivery has to arrive before GitHub is asked for another one.
	RedeliveryBackoff = backoff{15 * time.Minute, 1024 * 15 * time.Minute}
	// stepBackoff is for a worker whose step failed, mostly because of the database.
	stepBackoff = backoff{time.Second, time.Second}
)

package work

import (
	"errors"
	"time"

	"waybill/store"
)

// retry reports whether the call that an error comes from may be made again, and after how long; 0 if the other side
// did not say. The clients of GitHub and Slack say so by errors with a method Again.
func retry(err error) (after time.Duration, again bool) {
	if says, is := err.(interface{ Again() (time.Duration, bool) }); is {
		after, again = says.Again()
	}
	var causes []error
	switch wraps := err.(type) {
	case interface{ Unwrap() error }:
		causes = []error{wraps.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = wraps.Unwrap()
	}
	for _, cause := range causes {
		if a, is := retry(cause); is {
			after, again = max(after, a), true
		}
	}
	return after, again
}

// Transient reports whether the call that an error comes from may be made again.
func Transient(err error) bool {
	_, again := retry(err)
	return again
}

// RetryAfter returns how long the other side asked to wait; 0 if it did not say.
func RetryAfter(err error) time.Duration {
	after, _ := retry(err)
	return after
}

// NoContent returns the installation that may make no content now, if an error says so.
func NoContent(err error) (none store.NoContent, is bool) {
	var says interface{ NoContent() (int64, bool) }
	if is = errors.As(err, &says); is {
		none.Installation, none.Sent = says.NoContent()
	}
	return none, is
}

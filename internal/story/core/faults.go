package core

import (
	"time"

	"waybill/promotion"
)

// faults holds the faults that a story has armed.
type faults struct {
	crashes  []crash
	failures []failure
	losing   bool   // webhooks do not arrive
	lost     []fact // webhooks that did not arrive, in order
	sent     []fact // webhooks that did
}

type crash struct {
	boundary string // "before" or "after"
	verb     promotion.Verb
}

type failure struct {
	verb  promotion.Verb
	code  int
	times int
}

// crashAt reports whether the process is killed at this boundary. Each armed crash kills it once.
func (f *faults) crashAt(boundary string, verb promotion.Verb) bool {
	for i, c := range f.crashes {
		if c.boundary == boundary && c.verb == verb {
			f.crashes = append(f.crashes[:i:i], f.crashes[i+1:]...)
			return true
		}
	}
	return false
}

// fails returns the HTTP status with which GitHub fails this effect, or 0.
func (f *faults) fails(verb promotion.Verb) int {
	for i := range f.failures {
		if it := &f.failures[i]; it.verb == verb && it.times > 0 {
			it.times--
			return it.code
		}
	}
	return 0
}

// retryAfter returns the delay before an effect is retried: two seconds after the first failure, doubling to five
// minutes.
func retryAfter(tries int) time.Duration {
	return min(time.Second<<min(tries, 10), 5*time.Minute)
}

// refusal stands for the error message of GitHub, which stories do not contain.
const refusal = "GitHub fails, as the story says"

// patience is how long GitHub may refuse an effect before Waybill gives up.
const patience = promotion.Patience(30 * time.Minute)

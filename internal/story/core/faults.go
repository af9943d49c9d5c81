package core

import (
	"time"

	"waybill/promotion"
)

// faults are armed by a story and go off by themselves.
type faults struct {
	crashes  []crash
	failures []failure
	losing   bool   // webhooks do not arrive
	lost     []fact // those that did not, in order
	sent     []fact // those that did
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

// crashAt reports whether the process is killed at this boundary; it is killed once.
func (f *faults) crashAt(boundary string, verb promotion.Verb) bool {
	for i, c := range f.crashes {
		if c.boundary == boundary && c.verb == verb {
			f.crashes = append(f.crashes[:i:i], f.crashes[i+1:]...)
			return true
		}
	}
	return false
}

// fails returns the HTTP status that GitHub fails this effect with, or 0.
func (f *faults) fails(verb promotion.Verb) int {
	for i := range f.failures {
		if it := &f.failures[i]; it.verb == verb && it.times > 0 {
			it.times--
			return it.code
		}
	}
	return 0
}

// retryAfter is how long an effect waits after GitHub has failed it that many times: two seconds, doubling to five
// minutes.
func retryAfter(tries int) time.Duration {
	return min(time.Second<<min(tries, 10), 5*time.Minute)
}

// refusal stands for the words of GitHub, which stories do not tell.
const refusal = "GitHub fails, as the story says"

// patience is how long GitHub may refuse an effect before it is given up.
const patience = promotion.Patience(30 * time.Minute)

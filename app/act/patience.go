package act

import (
	"cmp"
	"errors"
	"time"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
)

// again says what follows when an effect did not work out: when it is tried again, whether GitHub refuses it at the
// moment, and whether it is given up.
//
// What GitHub or the network could not carry out is tried again for ever. So is what needs access that the App does not
// have now: it may come back. What GitHub refuses for a reason that may pass is tried again until GitHub has refused it
// for as long as the patience of the server lasts, without a break. Everything else is final. After that time a person
// who waits for an answer of GitHub's is told that GitHub refuses it, whatever its reason.
func (a *Executor) again(
	now time.Time, j *job, failed error,
) (again time.Time, rejection promotion.Rejection, final bool) {
	var turn *turnError
	delay := work.RequestBackoff.After(j.Attempts, work.RetryAfter(failed))
	switch {
	case errors.Is(failed, work.ErrDeadly): // looks come back by themselves
		return now.Add(delay), rejection, !j.Verb.Is(promotion.Repeated)
	// a bug of ours fails no promotion: the effect stays, with the error
	case work.PanicOf(failed) != nil, errors.Is(failed, errUnlisted):
		return now.Add(delay), j.Rejection, false
	case errors.As(failed, &turn):
		return turn.until, rejection, false
	case errors.Is(failed, errUnsettled):
		return now, j.Rejection, false // as soon as the stage is decided
	case errors.Is(failed, gh.ErrPassing), j.awaited() && !work.Transient(failed):
		words := cmp.Or(gh.Explain(failed).Detail, failed.Error())
		rejection, final = a.Patience.With(j.Effect.Effect).After(j.Rejection, words, j.RunAt, now, delay)
		return rejection.Again, rejection, final && !j.Verb.Is(promotion.Repeated)
	case work.Transient(failed), errors.Is(failed, gh.ErrNoAccess), j.Verb.Is(promotion.Repeated):
		return now.Add(delay), rejection, false
	}
	return again, rejection, true
}

// awaited reports whether a person waits for the answer to a question that is asked until there is one.
func (j *job) awaited() bool { return j.Verb.Is(promotion.Repeated) && j.Request != 0 }

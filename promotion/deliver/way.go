package deliver

import (
	"time"

	"waybill/promotion"
)

// Case is a promotion that has started and is not merged, with its known state on GitHub.
type Case struct {
	Promotion *promotion.Promotion
	Attempt   promotion.Attempt
	Pull      *promotion.Pull     // of the attempt; nil: none is known
	Branch    string              // that it must be merged into; empty: not known
	Merge     promotion.MergeMode // who merges
	Replaced  bool                // the pipeline file would write something else than its plan
	Now       time.Time           // of the question; Follow and Spent do not look at it
}

// Gates returns why a promotion may not take a step, and until when that is so if nothing happens; the zero reason if
// it may. The steps are those that cannot be undone: its pull request is opened or merged, its commit is written, its
// workflow is started.
type Gates func(step promotion.Verb) (why promotion.Reason, until time.Time)

// Way is a way to deliver.
type Way interface {
	// Want returns the effect that the promotion needs next, with its verb, promotion and round; the zero effect if there
	// is none. Then until is when it may be another one though nothing happens; the zero time is never.
	Want(c Case, gates Gates) (e promotion.Effect, until time.Time)
	// Follow returns the meaning of GitHub's answers.
	Follow(c Case) News
	// Why returns why the promotion waits, and until when a clock alone has it wait; the zero reason if it does not wait.
	Why(c Case, gates Gates) (why promotion.Reason, until time.Time)
	// Spent reports whether the commit has been made anew so often that doing so once more would not help.
	Spent(c Case) bool
}

// ways is the table of ways. A stage that delivers nothing any more ends a promotion that has started as a pull request
// does.
var ways = map[promotion.Delivery]Way{
	promotion.DeliveryPullRequest: pull{},
	promotion.DeliveryNone:        pull{},
	promotion.DeliveryCommit:      commit{},
	promotion.DeliveryWorkflow:    workflow{},
}

// Of returns the way in which a promotion is delivered into a stage with some delivery. A promotion that has begun in
// another way, before the stage was changed, goes on in that.
func Of(d promotion.Delivery, c Case) Way {
	a := &c.Attempt
	switch {
	case a.Pull != 0, c.Promotion.State == promotion.WaitingForMerge:
		return pull{}
	case a.State == promotion.AttemptCommitting:
		return commit{}
	case a.State == promotion.AttemptStarting:
		return workflow{}
	case a.State == promotion.AttemptDelivered && a.Made.Base == a.Made.Head: // nothing was written
		return workflow{}
	case a.State == promotion.AttemptDelivered:
		return commit{}
	}
	return ways[d]
}

// effect returns an effect of the promotion.
func (c Case) effect(v promotion.Verb, round int64) promotion.Effect {
	return promotion.Effect{Verb: v, Promotion: c.Promotion.Number, Round: round}
}

// News is the meaning of GitHub's answers for a promotion.
type News struct {
	Kind   Kind
	Merged *promotion.Pull  // of Arrived: where, when and by which person
	State  promotion.State  // of Ended: the state in which the promotion ends
	Reason promotion.Reason // of Ended
	Clean  bool             // of Ended: things that it may have left under our names are removed
}

// Kind tells news apart.
type Kind int

// The kinds of news.
const (
	// Quiet: nothing has become of it.
	Quiet Kind = iota
	// Unsure: something may be on GitHub or not, and nothing may end the promotion until that is known.
	Unsure
	// Shown: its pull request is open.
	Shown
	// Arrived: its freight is on the branch, or its workflow runs.
	Arrived
	// Ended: nothing will become of it.
	Ended
)

// failed is the news that an attempt cannot be carried out.
func failed(c Case) News {
	return News{Kind: Ended, State: promotion.Failed, Reason: c.Attempt.Failure}
}

// withoutPull is the news of an attempt that needs no pull request.
func withoutPull(c Case) News {
	switch {
	case c.Attempt.State == promotion.AttemptDelivered:
		return News{Kind: Arrived, Merged: c.Attempt.Arrived()}
	case c.Attempt.Underway():
		return News{Kind: Unsure}
	case c.Attempt.State == promotion.AttemptFailed:
		return failed(c)
	}
	return News{}
}

// unlessUnderway returns why a promotion that needs no pull request waits. One that has begun waits for nothing but
// GitHub.
func unlessUnderway(c Case, step promotion.Verb, gates Gates) (why promotion.Reason, until time.Time) {
	if c.Attempt.Underway() {
		return why, until
	}
	return gates(step)
}

// Plan returns the effect that makes a plan, or a newer one.
func Plan(a promotion.Attempt) promotion.Effect {
	round := 1
	if a.Plan != nil {
		round = a.Plan.Round + 1
	}
	return promotion.Effect{Verb: promotion.PlanVerb, Promotion: a.Promotion, Round: int64(round)}
}

// replaced is that the pipeline file would write something else than the plan.
func replaced() promotion.Reason {
	return promotion.Because(promotion.PlanChanged).
		With("the pipeline file has changed; Waybill makes the commit anew, and sign-offs begin anew")
}

// planAnew returns the effect that makes a newer plan, or until when the promotion rests before that.
func (c Case) planAnew() (e promotion.Effect, until time.Time) {
	if until := c.restsUntil(); !until.IsZero() {
		return e, until
	}
	return Plan(c.Attempt), until
}

// restsUntil is RestsUntil for the case.
func (c Case) restsUntil() time.Time { return RestsUntil(c.Attempt, c.Now) }

// RestsUntil returns until when a promotion rests before the next round of its plan; the zero time if it does not.
// GitHub may show a branch for a moment as it was before it moved: further rounds at once would see the same.
func RestsUntil(a promotion.Attempt, now time.Time) (until time.Time) {
	if a.Plan == nil || a.Plan.Round < restsFrom-1 {
		return until
	}
	if end := a.Plan.At.Add(min(time.Second<<min(a.Plan.Round+2-restsFrom, 10), maxRest)); end.After(now) {
		return end
	}
	return until
}

// rests returns that the promotion rests before its next round, and until when; the zero reason if it does not.
func (c Case) rests() (why promotion.Reason, until time.Time) {
	if until := c.restsUntil(); !until.IsZero() {
		return promotion.Because(promotion.Overtaken), until
	}
	return why, until
}

// A promotion rests before its rounds from the fourth on: two seconds, then each time twice as long.
const (
	restsFrom = 4
	maxRest   = time.Minute
)

// MaxRounds is how often a promotion's commit is made before a conflict is for people to solve. Every round starts from
// the newest base and is made because of a push that changes the very same files, so that only a quarrel between two
// automations comes so far.
const MaxRounds = 20

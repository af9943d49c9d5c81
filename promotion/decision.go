package promotion

import (
	"slices"
	"time"
)

// Decision lists the changes that Decide returns. They are written in one transaction, all or none.
type Decision struct {
	Promotions  []Promotion // new or changed, whole
	Deployments []Deployment
	Holds       []Hold
	Approvals   []Approval
	Rejects     []Reject
	Answered    []Answer // requests that need no more attention
	Effects     []Effect // owed: they happen once
	Wanted      []Effect // the complete list of wanted effects: others that have not begun are withdrawn
	Log         []Entry
	// Ripples says that something has changed that stages downstream read.
	Ripples bool
	// Wake is when to decide again even if nothing happens; the zero time is never.
	Wake time.Time
}

// Moves reports whether something is under way that will have the stage decided again.
func (d Decision) Moves() bool {
	return slices.ContainsFunc(d.Wanted, func(e Effect) bool { return !e.Verb.Is(Passive) })
}

// Answer is the outcome of a request.
type Answer struct {
	Request int64
	Outcome Code   // Done, Already or Refused
	About   Number // the promotion that the answer is about; 0: none
	Plan    string // the hash of the plan that the stage showed; empty: none
	Reason  Reason
	Rule    string // which rule of the policy has decided: where it stands, "default", or "none"
}

// Nothing reports whether the decision writes nothing but the wake time and the wanted effects.
func (d Decision) Nothing() bool {
	return len(d.Promotions) == 0 && len(d.Deployments) == 0 && len(d.Holds) == 0 && len(d.Approvals) == 0 &&
		len(d.Rejects) == 0 && len(d.Answered) == 0 && len(d.Effects) == 0 && len(d.Log) == 0
}

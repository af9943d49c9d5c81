package promotion

import (
	"time"
)

// Attempt is what has become of a promotion on GitHub: the facts that effects bring home.
type Attempt struct {
	Promotion Number
	Step      int    // of a rollout, 1 for the first; 0 of others
	Files     Branch // where it takes place
	Plan      *Plan
	Built     int // the round of the plan whose commit the branch now points to, 0 before there is one
	Branch    string
	BaseSHA   SHA
	HeadSHA   SHA
	Pull      int
	URL       string
	// Begun is the round whose commit is being put on the branch without a pull request, for as long as nobody knows
	// whether it is there; 0: none is.
	Begun int
	// Late is the round whose commit came too late, because the branch had moved; 0: none.
	Late int
	// Landed is when the commit came onto the branch without a pull request, or its workflow began to run; zero: it has
	// not.
	Landed time.Time
	// Dispatched is when GitHub was asked to start its workflow, for as long as nobody knows the run; zero: it was not.
	Dispatched time.Time
	// Failure is why it cannot be carried out, once GitHub has said so for good.
	Failure Reason
	// Unmergeable and Tried are the refusal of the last try to merge, and the pull request's revision it was tried at.
	Unmergeable string
	Tried       int64
	// Observed is when GitHub was last asked for all signals of the commits under verification, and answered.
	Observed time.Time
}

// Underway reports whether something of the attempt may be there or not.
func (a Attempt) Underway() bool { return a.Begun > 0 || !a.Dispatched.IsZero() }

// Arrived is the commit of an attempt on the branch, or the one that its workflow runs on, as if it had been merged
// there.
func (a Attempt) Arrived() *Pull {
	return &Pull{State: PullMerged, HeadSHA: a.HeadSHA, MergeSHA: a.HeadSHA, MergedAt: a.Landed}
}

// Conflicts reports whether the commit that we made last cannot be merged. What GitHub said of an earlier one does not
// count, nor what it says of a commit of somebody else.
func (a Attempt) Conflicts(pull *Pull) bool {
	return pull != nil && pull.Conflicts && pull.HeadSHA == a.HeadSHA
}

// Paths returns the files that the plan writes; none without a plan.
func (a Attempt) Paths() []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Paths
}

// PlanHash returns the hash of what the attempt has written.
func (a Attempt) PlanHash() string {
	if a.Plan == nil {
		return ""
	}
	return a.Plan.Hash
}

// Wrote returns the values that a merge has brought: those of the plan, unless somebody has pushed to the pull request
// and merged what nobody here knows.
func (a Attempt) Wrote(merged *Pull) []Value {
	if a.Plan == nil || merged.HeadSHA != a.HeadSHA {
		return nil
	}
	return a.Plan.Values
}

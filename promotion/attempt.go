package promotion

import "time"

// AttemptState is how far an attempt has come. It changes through the methods of Attempt only; the database repeats
// which facts each state may have.
type AttemptState string

// The states of an attempt.
const (
	// AttemptPending: nothing of it is on GitHub.
	AttemptPending AttemptState = ""
	// AttemptProposed: its pull request shows the commit of round Built.
	AttemptProposed AttemptState = "proposed"
	// AttemptCommitting: the commit of the plan is being put on the branch, and it is not known whether it is there.
	AttemptCommitting AttemptState = "committing"
	// AttemptStarting: GitHub was asked to start the workflow, and its run is not known.
	AttemptStarting AttemptState = "starting"
	// AttemptDelivered: without a pull request, the commit is on the branch, or the workflow runs.
	AttemptDelivered AttemptState = "delivered"
	// AttemptFailed: it cannot be carried out. It may have a pull request.
	AttemptFailed AttemptState = "failed"
)

// Attempt is what has become of a promotion on GitHub: the facts that effects bring home.
type Attempt struct {
	Promotion Number
	Step      int    // of a rollout, 1 for the first; 0 of others
	Files     Branch // where it takes place
	State     AttemptState
	Plan      *Plan
	Built     int // the round of the plan whose commit is proposed or delivered; 0: none
	Branch    string
	BaseSHA   SHA
	HeadSHA   SHA
	Pull      int // its pull request, since it was proposed; 0: none
	URL       string
	// Late is the round whose commit came too late, because the branch had moved; 0: none.
	Late int
	// Landed is when it was delivered; zero in other states.
	Landed time.Time
	// Dispatched is when GitHub was asked to start its workflow; zero in other states than AttemptStarting.
	Dispatched time.Time
	// Failure is why it has failed; zero in other states.
	Failure Reason
	// Unmergeable and Tried are the refusal of the last try to merge, and the pull request's revision it was tried at.
	Unmergeable string
	Tried       int64
	// Observed is when GitHub was last asked for all signals of the commits under verification, and answered.
	Observed time.Time
}

// Made is a commit that was made for a round of a plan, or the one that a workflow runs on.
type Made struct {
	Round      int
	Base, Head SHA
	At         time.Time // when it was made, or the run began, as GitHub says
	URL        string
}

// Underway reports whether something of the attempt may be on GitHub or not.
func (a Attempt) Underway() bool { return a.State == AttemptCommitting || a.State == AttemptStarting }

// Propose records that a pull request shows a commit on a branch of ours, and reports whether that is new. What has
// failed stays failed, and its pull request is known.
func (a *Attempt) Propose(m Made, branch string, pull int) bool {
	known := a.Built == m.Round && a.HeadSHA == m.Head && a.Branch == branch && a.Pull == pull && a.URL == m.URL
	if known || a.Underway() || a.State == AttemptDelivered {
		return false
	}
	if a.State != AttemptFailed {
		a.State = AttemptProposed
	}
	a.Built, a.BaseSHA, a.HeadSHA, a.Branch, a.Pull, a.URL = m.Round, m.Base, m.Head, branch, pull, m.URL
	return true
}

// BeginCommit records that the commit of a round of a step's plan is being put on the branch, unless that is not the
// plan any more, or something has become of the attempt already. From then on nothing ends the promotion before it is
// known whether the commit is there.
func (a *Attempt) BeginCommit(step, round int) bool {
	if a.State != AttemptPending || a.Step != step || a.Plan == nil || a.Plan.Round != round {
		return false
	}
	a.State = AttemptCommitting
	return true
}

// BeginStart records that GitHub is asked to start the workflow, unless something has become of the attempt already.
func (a *Attempt) BeginStart(at time.Time) bool {
	if a.State != AttemptPending || a.Plan == nil {
		return false
	}
	a.State, a.Dispatched = AttemptStarting, at
	return true
}

// Deliver records that the commit that has begun is on the branch, or that the workflow runs.
func (a *Attempt) Deliver(m Made) bool {
	if !a.Underway() {
		return false
	}
	a.State, a.Dispatched = AttemptDelivered, time.Time{}
	a.Built, a.BaseSHA, a.HeadSHA, a.Landed, a.URL = m.Round, m.Base, m.Head, m.At, m.URL
	return true
}

// Miss records that the commit of a round is not on the branch and never will be, because the branch has moved.
func (a *Attempt) Miss(round int) bool {
	if a.Late >= round {
		return false
	}
	a.Late = round
	a.Abandon()
	return true
}

// Abandon records that what has begun is not on GitHub, so that it is decided anew whether it should be.
func (a *Attempt) Abandon() bool {
	if !a.Underway() {
		return false
	}
	a.State, a.Dispatched = AttemptPending, time.Time{}
	return true
}

// Fail records why the attempt cannot be carried out. The first reason stands, and nothing undoes a delivery.
func (a *Attempt) Fail(why Reason) bool {
	if a.State == AttemptFailed || a.State == AttemptDelivered {
		return false
	}
	a.State, a.Dispatched, a.Failure = AttemptFailed, time.Time{}, why
	return true
}

// RefuseMerge records why GitHub did not merge the pull request as it was at a revision.
func (a *Attempt) RefuseMerge(revision int64, why string) bool {
	if a.Pull == 0 || a.Tried == revision && a.Unmergeable == why {
		return false
	}
	a.Tried, a.Unmergeable = revision, why
	return true
}

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

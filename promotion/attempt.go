package promotion

import (
	"slices"
	"time"
)

// AttemptState is how far an attempt has come. It changes through the methods of Attempt only; the database repeats
// which facts each state may have.
type AttemptState string

// The states of an attempt.
const (
	// AttemptPending: nothing of it is on GitHub.
	AttemptPending AttemptState = ""
	// AttemptProposed: its pull request shows the commit that was made.
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

// Attempt is the state of a promotion on GitHub: the facts that its effects have returned.
type Attempt struct {
	Promotion Number
	Step      int    // of a rollout, 1 for the first; 0 of others
	Files     Branch // where it takes place
	State     AttemptState
	Plan      *Plan
	Made      Made // the commit that is proposed or delivered; zero: none. Its time is that of a delivery
	Branch    string
	Pull      int // its pull request, since it was proposed; 0: none
	// Late is the round whose commit came too late, because the branch had moved; 0: none.
	Late int
	// Dispatched is when GitHub was asked to start its workflow; zero in other states than AttemptStarting.
	Dispatched time.Time
	// Failure is why it has failed; zero in other states.
	Failure Reason
	// Refused is the last refusal to merge; zero: there was none.
	Refused Refusal
	// Behind is the last commit of ours that GitHub did not merge because the branch has moved and its rules want the
	// commit to be up to date; empty: none.
	Behind SHA
	// After is the promotion whose turn it waits for; zero: it waits for none.
	After Wait
	// Observed is when GitHub was last asked for all signals of the commits under verification, and answered.
	Observed time.Time
	// Compared is what a head of its pull request that is not ours has; zero: none was compared with the plan.
	Compared Comparison
	// Asker is whether who asked for the promotion may still do so.
	Asker Asker
}

// Comparison is what a head of a pull request has that the plan has not, or has otherwise.
type Comparison struct {
	Head    SHA
	Foreign []string // by path; none: it has exactly what was planned
}

// Refusal is why GitHub did not merge a pull request.
type Refusal struct {
	Why      string
	Revision int64 // of the pull request, at which it was tried
}

// Wait is a promotion that is merged before another one into the same branch.
type Wait struct {
	Stage  StageName
	Number Number
	Until  time.Time // it is made anew first, and waited for at most so long; zero: it is not made anew
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

// Propose records that a pull request shows a commit on a branch of ours, and reports whether that is new. A failed
// attempt stays failed, and its pull request is known.
func (a *Attempt) Propose(m Made, branch string, pull int) bool {
	known := a.Made.Round == m.Round && a.Made.Head == m.Head && a.Made.URL == m.URL
	if known && a.Branch == branch && a.Pull == pull || a.Underway() || a.State == AttemptDelivered {
		return false
	}
	if a.State != AttemptFailed {
		a.State = AttemptProposed
	}
	m.At = time.Time{} // it is not delivered
	a.Made, a.Branch, a.Pull = m, branch, pull
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
	a.State, a.Dispatched, a.Made = AttemptDelivered, time.Time{}, m
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

// Abandon records that the commit or run that was begun is not on GitHub, so that it is decided anew.
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
	refused := Refusal{Why: why, Revision: revision}
	if a.Pull == 0 || a.Refused == refused {
		return false
	}
	a.Refused = refused
	return true
}

// Arrived is the commit of an attempt on the branch, or the one that its workflow runs on, as if it had been merged
// there. A commit that was made for it is new.
func (a Attempt) Arrived() *Pull {
	return &Pull{State: PullMerged, HeadSHA: a.Made.Head, MergeSHA: a.Made.Head, MergedAt: a.Made.At,
		NewCommit: a.Made.Base != a.Made.Head}
}

// Outdated reports whether the commit that we made last cannot be merged into the branch as that is now: it conflicts
// with it, or is behind it where the rules of the branch forbid that. An answer of GitHub about an earlier commit, or
// about a commit by another person, does not count.
func (a Attempt) Outdated(pull *Pull) bool {
	return pull != nil && pull.HeadSHA == a.Made.Head && (pull.Conflicts || a.Behind == a.Made.Head)
}

// Await records which promotion the merge waits for; the zero value is none.
func (a *Attempt) Await(w Wait) bool {
	if a.After.Stage == w.Stage && a.After.Number == w.Number && a.After.Until.Equal(w.Until) {
		return false
	}
	a.After = w
	return true
}

// FallBehind records that the commit that we made last is behind the branch, whose rules forbid that.
func (a *Attempt) FallBehind(head SHA) bool {
	if a.Pull == 0 || a.Made.Head != head || a.Behind == head {
		return false
	}
	a.Behind = head
	return true
}

// Foreign returns what the merge of the pull request brought that was not planned, by path, and whether that is known.
// What has our own commit for its head has nothing else.
func (a Attempt) Foreign(merged *Pull) (paths []string, known bool) {
	switch merged.HeadSHA {
	case a.Made.Head:
		return nil, true
	case a.Compared.Head:
		return a.Compared.Foreign, true
	}
	return nil, false
}

// Paths returns the files that the plan writes; none without a plan.
func (a Attempt) Paths() []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Paths
}

// Writes reports whether the plan writes one of some files.
func (a Attempt) Writes(paths []string) bool {
	return slices.ContainsFunc(a.Paths(), func(path string) bool { return slices.Contains(paths, path) })
}

// PlanHash returns the hash of the contents that the attempt has written.
func (a Attempt) PlanHash() string {
	if a.Plan == nil {
		return ""
	}
	return a.Plan.Hash
}

// Notes returns what people are told of the plan; nil if there is nothing.
func (a Attempt) Notes() *Notes {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Notes
}

// Wrote returns the values that the plan writes; none without a plan.
func (a Attempt) Wrote() []Value {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Values
}

package promotion

import (
	"time"
)

// This file has the facts that come from outside. They are recorded as they come, in any order and any number of times;
// Decide looks at the present state, never at the last event.

// SignalKind is the kind of a signal: a check run, a commit status, a deployment or a run of a workflow.
type SignalKind string

// The kinds of signals, as the pipeline file spells them.
const (
	KindCheck      SignalKind = "check"
	KindStatus     SignalKind = "status"
	KindDeployment SignalKind = "deployment"
	// KindRun is a run of a workflow that a promotion has started. No pipeline file names it.
	KindRun SignalKind = "run"
)

// Signal is a check run, commit status or deployment of a commit, as GitHub reports it.
type Signal struct {
	Repo  Repo
	Kind  SignalKind
	ID    int64 // GitHub's id: of two with the same name in one suite, the larger is the newer one
	SHA   SHA
	App   string // slug of the GitHub App that wrote it, for checks
	Suite int64  // the check suite it belongs to, for checks; the promotion that has started it, for runs of workflows
	Name  string // check name, status context or environment
	// State is, for a check, its conclusion once completed and else its status (queued, in_progress, ...); for a status
	// or a deployment its state.
	State    string
	URL      string
	Started  time.Time
	Ended    time.Time // zero while it runs
	Observed time.Time // when GitHub last changed it: an older observation never replaces a newer one
}

// Suite is a check suite, as GitHub reports it. Its completion decides patterns, because jobs that depend on others
// have no check run before they start.
type Suite struct {
	Repo       Repo
	ID         int64
	SHA        SHA
	App        string
	Branch     string
	Completed  bool
	Conclusion string
}

// Push is a move of a branch's head. A chain of them tells which commits came after a merge.
type Push struct {
	Repo   Repo
	Branch string
	Before SHA
	After  SHA
	At     time.Time
	Paths  []string // every path that the push changed; EveryPath if they are too many to be known
}

// EveryPath stands for all paths there are. It is none that Git knows.
var EveryPath = []string{"/"}

// On is the branch that was pushed to.
func (p *Push) On() Branch { return Branch{p.Repo, p.Branch} }

// PullState is whether a pull request is open.
type PullState string

// The states of a pull request.
const (
	PullOpen   PullState = "open"
	PullMerged PullState = "merged"
	PullClosed PullState = "closed"
)

// Pull is a pull request of ours, as GitHub reports it.
type Pull struct {
	Repo     Repo
	Number   int
	Head     string
	HeadSHA  SHA
	Base     string
	BaseWas  string // the former name of Base, if that was renamed since the pull request was opened
	State    PullState
	MergeSHA SHA       // the commit on the base branch, once merged
	MergedAt time.Time // as GitHub says it
	// NewCommit says that MergeSHA was made when it was merged for us, and not before by a merge queue: nothing has run on
	// it before. MergedAt may be seconds later than the merge.
	NewCommit bool
	By        Actor // who merged or closed it; zero if we did
	URL       string
	Pusher    Actor // who pushed last to its branch, as far as that is known; zero if we did
	// HeadAt is when it had begun to show its head, by GitHub's clock and at the latest, and HeadHeard when we heard of
	// that, by ours. Replaced says that it has shown another head before.
	HeadAt, HeadHeard time.Time
	Replaced          bool
	Reopened          int64 // how often it was opened again after it had been closed
	// Conflicts says that the last look found it not mergeable into its base. GitHub finds that out late, and tells
	// meanwhile that it does not know: FitUnknown is such an observation, and is not kept.
	Conflicts, FitUnknown bool
	Queue                 QueuePlace // in GitHub's merge queue
	// Revision grows with everything that could change GitHub's mind about merging it: a push to its head or base, a
	// review, a check. A merge that was refused is tried again when the revision has grown, never in a loop.
	Revision int64
	Updated  time.Time
}

// QueuePlace is where a pull request stands with regard to GitHub's merge queue; the zero value is an observation that
// does not say, or a pull request that was never in one.
type QueuePlace string

// A pull request is in the queue, and GitHub merges it when it is its turn; or it has been taken out without being
// merged.
const (
	InQueue    QueuePlace = "in"
	OutOfQueue QueuePlace = "out"
)

// Reading has the values in the files of a stage on one branch: one for every place that the stage sets there, but for
// those that could not be read.
type Reading struct {
	On     Branch
	Commit SHA   // the head of the branch when they were read; later pushes have left the files alone
	By     Actor // who pushed the files that were read, if known
	Values []Value
}

// Deployment is one continuous time that a freight was hosted by a stage, from the merge that brought it until the
// merge that replaced it, together with the latest verdict on it there. Only a deployment that has not ended can be
// judged.
type Deployment struct {
	Promotion Number
	Stage     StageName
	Warehouse WarehouseName
	Freight   FreightID
	Entered   time.Time
	Left      time.Time // zero while hosted
	Verdict   Verdict
	Judged    time.Time // when the last signal that the verdict needed was completed, as GitHub says, at most now
	Cause     Reason    // why it failed
	// the person whose verdict it is; signals do not change it until a person asks to verify
	JudgedBy Actor
	Plan     string         // hash of the contents that were written
	Commit   SHA            // where signals count first: the merge commit, or the base head when nothing had to change
	Since    time.Time      // runs that started before do not count; zero: all do
	Wrote    []Value        // the values that were written; nil: not known, and no drift is reported
	Results  []TargetResult // the targets that have been updated, in the order of their steps
	// there are targets that its promotion has not come to, so that it is not verified by its parts
	Incomplete bool
	Drift      Drift // how the files differ from it
	Recovered  bool  // people were told that the stage is good again, which had failed with it
}

// Drift is the difference between a stage's files and the values that were written when a deployment began.
type Drift struct {
	Says   []Value // the values in the files, where they differ; none: no difference is known
	Commit SHA     // where it was seen first
	At     time.Time
	By     Actor // who pushed it, if known
	Told   bool
	Repair Number // the promotion that was queued to write it again, if any
	Count  int    // how many there have been since the deployment began
	// Righted is when the files agreed again after the last one; zero while they differ, and if they never did.
	Righted time.Time
}

// Stands reports whether the files differ.
func (d Drift) Stands() bool { return len(d.Says) > 0 }

// Ended reports whether the freight has left.
func (s Deployment) Ended() bool { return !s.Left.IsZero() }

// Verdict is the result of the signals for a freight in a stage. The zero value is pending.
type Verdict string

// The verdicts. A pending one is neither good nor bad; an inconclusive one needs a person.
const (
	Pending   Verdict = ""
	Passed    Verdict = "passed"
	Bad       Verdict = "failed"
	Undecided Verdict = "inconclusive"
)

// ApprovalKind tells sign-offs from admissions.
type ApprovalKind string

// A sign-off lets a promotion be merged. An admission makes freight available that has not earned it.
const (
	SignOff   ApprovalKind = "sign-off"
	Admission ApprovalKind = "admit"
)

// Approval is a sign-off or an admission that a person gave.
type Approval struct {
	ID      int64
	Stage   StageName
	Freight FreightID
	Kind    ApprovalKind
	By      Actor
	Plan    string // the plan's hash, for a sign-off
	Text    string
	At      time.Time
	Expires time.Time
	Revoked time.Time
	// Entitled is whether the giver still has the right, looked up when the snapshot was taken.
	Entitled bool
}

// Stands reports whether the approval counts at that time.
func (a Approval) Stands(now time.Time) bool {
	return a.Revoked.IsZero() && a.Entitled && (a.Expires.IsZero() || now.Before(a.Expires))
}

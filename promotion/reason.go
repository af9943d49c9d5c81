package promotion

import (
	"slices"
	"strings"
)

// Code is the reason of a state in one word. Codes with their arguments are printed in stories, stored, and turned into
// sentences by package say.
type Code string

const (
	Asked        Code = "asked"         // LOGIN: a person asked for it
	Decided      Code = "decided"       // LOGIN: a person said by /verdict whether it is good; the detail has their reason
	Closed       Code = "closed"        // LOGIN: a person closed its pull request
	Behind       Code = "behind"        // PROMOTION: another one goes first
	Merged       Code = "merged"        // PROMOTION [TARGET]: it, or this target of its rollout, is merged
	BeforeFailed Code = "before-failed" // PROMOTION MATCHER: the one before it failed its verification
	Newer        Code = "newer"         // FREIGHT: newer freight took its place
	Held         Code = "held"          // LOGIN or "bot", [WAREHOUSE]: of the stage, or of freight of that warehouse
	Frozen       Code = "frozen"        // REASON, if the pipeline file says one
	Incomplete   Code = "incomplete"    // IMAGE..: these have not been pushed for its commit yet
	Unverified   Code = "unverified"    // STAGE..: these have not verified it
	Rejected     Code = "rejected"      // FREIGHT LOGIN: a person has rejected it, or freight that it contains
	FailedCheck  Code = "failed"        // [STAGE] MATCHER: this signal says that it is bad
	Left         Code = "left"          // STAGE..: verified there, and gone before it had soaked
	Soaking      Code = "soaking"       // STAGE..: verified there, not for long enough
	Unapproved   Code = "unapproved"    // NUMBER of sign-offs that are missing
	// LOGIN..: whose sign-offs no longer count, because the commit to be merged has changed
	Void Code = "void"
	// ["pushed", "retargeted BRANCH" or "elsewhere BRANCH"]: what is to be merged, or was, is not what Waybill planned:
	// somebody pushed to the branch, or the pull request goes to another one than that of the stage, or went there
	PlanChanged  Code = "plan-changed"
	Missing      Code = "missing"      // MATCHER: no signal appeared
	TimedOut     Code = "timed-out"    // MATCHER: no verdict in time
	Inconclusive Code = "inconclusive" // MATCHER: its signals say neither good nor bad
	NoChange     Code = "no-change"    // the files have this version already
	Conflict     Code = "conflict"     // PATH: cannot be merged, and making it anew did not help
	Overtaken    Code = "overtaken"    // its base has moved again, and it is made anew in a moment
	Unreadable   Code = "unreadable"   // PATH: missing or malformed
	NotPlanned   Code = "foreign"      // PATH..: its merge brought something else there than was planned
	Refused      Code = "refused"      // GitHub, or a rule, does not allow it
	Refusing     Code = "refusing"     // GitHub refuses it at the moment; the detail has its words
	Removed      Code = "removed"      // NAME: no longer in the pipeline file
	Moved        Code = "moved"        // BRANCH: the files of the stage are there now
	Drifted      Code = "drifted"      // PLACE..: the files differ there from the promoted values
	Recovered    Code = "recovered"    // FREIGHT PROMOTION: it is verified in the stage, which had failed
	Already      Code = "already"      // it was so before
	Done         Code = "done"         // it has been done
	Lifted       Code = "lifted"       // WAREHOUSE..: with that of the stage, the holds of freight of these were lifted
	Over         Code = "over"         // STATE STAGE [FREIGHT [why]]: the promotion of a pull request has ended so

	Rolling Code = "rolling" // BATCH TARGET..: the targets that a rollout updates now
	Skipped Code = "skipped" // TARGET..: a person has left them out of a rollout
	Unready Code = "unready" // TARGET..: they cannot take part yet

	// The following answer `why` and the pages; stories know them as derived facts.

	Waiting    Code = "waiting"     // MATCHER..: signals that are not decided yet
	NotReady   Code = "not-ready"   // CONDITION..: the conditions that targets do not meet
	Resting    Code = "resting"     // BATCH: the wait after this batch of a rollout
	Paused     Code = "paused"      // LOGIN: a person has paused the rollout
	ToBeMerged Code = "to-merge"    // a person is to merge it
	Enqueued   Code = "enqueued"    // it stands in GitHub's merge queue
	InTurn     Code = "in-turn"     // PROMOTION STAGE: it is merged into the branch first
	Unmergable Code = "unmergeable" // DETAIL: GitHub does not let it be merged yet
	Unknown    Code = "unknown"     // NAME: no such stage, freight or verb
	Which      Code = "which"       // PROMOTION..: the command could mean each of these, and means none
	NoFreight  Code = "no-freight"  // PULL ["unmerged"]: the command stands on a pull request that is no freight
	Keeps      Code = "keeps"       // FREIGHT STAGE..: the stage keeps it until it has soaked for these
	Carried    Code = "carried"     // FREIGHT STAGE: it came to the stage, and contains this one
	Before     Code = "came-first"  // FREIGHT STAGE: it came to the stage, is newer, and may not contain this one
	Hosts      Code = "hosts"       // FREIGHT OTHER: the stage hosts FREIGHT, verified, and not the other
	Several    Code = "several"     // FREIGHT..: the command stands on a pull request that is all of these
	Lapsed     Code = "lapsed"      // COMMIT: the label was put on when this was the head, and others have been pushed
	Stale      Code = "stale"       // the command was given more than a day before it arrived
	Malformed  Code = "malformed"   // the command cannot be understood; the detail says why
	Forbidden  Code = "forbidden"   // PERMISSION that is needed
)

// Reason is a code with its arguments, for example {FailedCheck, ["a", "e2e-a"]}. Its zero value is no reason.
type Reason struct {
	Code Code
	Args []string
	URL  string // where a person can see for themselves, if anywhere
	// Detail is further information for people; stories do not print it, and no decision reads it.
	Detail string
}

// Lasts reports whether freight waits for this reason until a time that is known, and goes on then. At the time of any
// other reason Waybill only looks again.
func (c Code) Lasts() bool {
	switch c {
	case Soaking, Keeps, Frozen, Held, Resting:
		return true
	}
	return false
}

// Because makes a reason of a code and its arguments.
func Because(code Code, args ...string) Reason { return Reason{Code: code, Args: args} }

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.Code == "" }

// Is reports whether two reasons say the same, and lead to the same place. What they tell people in detail may differ.
func (r Reason) Is(o Reason) bool {
	return r.Code == o.Code && slices.Equal(r.Args, o.Args) && r.URL == o.URL
}

// At returns the reason with the address where a person can see for themselves.
func (r Reason) At(url string) Reason { r.URL = url; return r }

// With returns the reason with a detail for people.
func (r Reason) With(detail string) Reason { r.Detail = detail; return r }

// MayWait is the detail of why freight is not available, if a person may have it wait for that.
const MayWait = "with --when-available it waits for that"

// Arg returns the n-th argument, or "".
func (r Reason) Arg(n int) string {
	if n < len(r.Args) {
		return r.Args[n]
	}
	return ""
}

// String prints the reason as stories do, without quoting.
func (r Reason) String() string {
	return strings.TrimSpace(string(r.Code) + " " + strings.Join(r.Args, " "))
}

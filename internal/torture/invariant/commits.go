package invariant

import (
	"fmt"
	"slices"
	"strconv"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// commit is a commit that a request has just put on a branch of the stages.
type commit struct {
	sight        ledger.Sight
	at           shape.Place
	before, head string
	made         githubsim.Commit
	ours         bool // its message names a promotion
	promotion    ledger.Promo
}

func newCommit(l *ledger.Ledger, s ledger.Sight, at shape.Place, before, head string) commit {
	c := commit{sight: s, at: at, before: before, head: head}
	c.made, _ = l.GitHub.Commit(at.Repo, head)
	if found := ledger.Trailer.FindStringSubmatch(c.made.Message); found != nil {
		n, _ := strconv.ParseInt(found[1], 10, 64)
		c.ours, c.promotion = true, l.DB.Seen.Promotions[n]
	}
	return c
}

// follows reports whether c is the commit of a promotion and its only parent is the previous head of the branch.
func (c commit) follows() bool {
	return c.ours && len(c.made.Parents) == 1 && c.made.Parents[0] == c.before
}

// asPull returns the commit as if it were a merged pull request without a number. Its time is that of the commit: the
// branch may have been moved to it some seconds later.
func (c commit) asPull() githubsim.Pull {
	return githubsim.Pull{
		Repo: c.at.Repo, State: "merged", HeadBranch: fmt.Sprintf("waybill/%s/-/%d", c.promotion.Stage, c.promotion.Number),
		HeadSHA: c.head, BaseBranch: c.at.Branch, BaseSHA: c.before, MergeSHA: c.head,
		MergedBy: "waybill[bot]", MergedAt: c.made.Committer.When,
	}
}

// commitRules apply to commits that were made without a pull request.
var commitRules = []rule[commit]{
	{"pushes of others are not lost", followsOthers},
	{"a promotion is committed once", isCommittedOnce},
	{"no promotion is committed while it is held", commitsUnheld},
	{"no promotion is committed after its end", commitsActive},
}

func followsOthers(_ *ledger.Ledger, c commit) string {
	if c.follows() {
		return ""
	}
	return fmt.Sprintf("the branch was at %s and is at %s: %q", c.before, c.head, c.made.Message)
}

func isCommittedOnce(l *ledger.Ledger, c commit) string {
	n := c.promotion.Number
	for _, other := range l.Remote.Committed {
		if ledger.NumberOf(other.HeadBranch) == n && l.Rollouts.Rollouts[n] == nil {
			return fmt.Sprintf("p%d: %s and %s", n, other.MergeSHA, c.head)
		}
	}
	return ""
}

func commitsUnheld(_ *ledger.Ledger, c commit) string {
	if !slices.ContainsFunc(c.sight.Holds, func(o ledger.Hold) bool { return o.Stops(c.promotion) }) {
		return ""
	}
	return fmt.Sprintf("p%d in %s", c.promotion.Number, c.promotion.Stage)
}

func commitsActive(_ *ledger.Ledger, c commit) string {
	if c.promotion.Active() {
		return ""
	}
	return fmt.Sprintf("p%d in %s is %s", c.promotion.Number, c.promotion.Stage, c.promotion.State)
}

// run is a workflow run that a request has just started.
type run struct {
	sight       ledger.Sight
	name, title string
	promotion   ledger.Promo
}

// runRules apply to workflow runs that have just been started.
var runRules = []rule[run]{
	{"no workflow is started after the end of its promotion", runsActive},
	{"a workflow is started with the values of its freight", runsItsFreight},
	{"no workflow is started while its promotion is held", runsUnheld},
	{"a workflow is started once for each promotion, unless GitHub has neither confirmed nor listed its run", runsOnce},
}

func runsActive(_ *ledger.Ledger, r run) string {
	if ledger.NameOfRun(r.promotion) == r.name && !r.promotion.Ended() {
		return ""
	}
	return fmt.Sprintf("%s, and p%d is %s", r.title, r.promotion.Number, r.promotion.State)
}

func runsItsFreight(l *ledger.Ledger, r run) string {
	if s, known := l.Sources.SourceOf(r.promotion); known && r.title == fmt.Sprintf("Deploy %s (%s)", s.Value(), r.name) {
		return ""
	}
	return fmt.Sprintf("%s for %s", r.title, r.promotion.Name)
}

func runsUnheld(_ *ledger.Ledger, r run) string {
	if slices.ContainsFunc(r.sight.Holds, func(o ledger.Hold) bool { return o.Stops(r.promotion) }) {
		return r.title
	}
	return ""
}

// runsOnce allows a second run only if GitHub has neither confirmed nor listed the first.
func runsOnce(l *ledger.Ledger, r run) string {
	heard := func() bool {
		return l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND heard`, r.promotion.Number) > 0
	}
	if len(l.Remote.Runs(r.name+")")) == 1 || l.Gaps.Hidden && !heard() {
		return ""
	}
	return r.title
}

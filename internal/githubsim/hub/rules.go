package hub

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Rules are the merge settings of a repository and the protections of its branches.
type Rules struct {
	Settings    RepoSettings
	Protections map[string]Protection // by branch
}

// RepoSettings are the settings of a repository that determine how pull requests are merged.
type RepoSettings struct {
	NoMergeCommit       bool // merge method "merge" is refused
	NoSquash            bool
	NoRebase            bool
	AutoMerge           bool // pull requests may use auto-merge
	DeleteBranchOnMerge bool
}

// Protection is a branch's list of requirements: a ruleset for it alone, or its classic protection.
type Protection struct {
	Classic         bool     // it is no ruleset: the route of the branch's rules does not list it
	RequiredChecks  []string // names of check runs or contexts of statuses
	CheckApp        int64    // the App whose runs count for them; 0: anybody's do
	RequiredReviews int
	Owners          []string // the code owners of every file: one of them has to approve
	LastPush        bool     // approvals of whoever has pushed last do not count
	PullRequests    bool     // changes must be made through a pull request, reviewed or not
	Methods         []string // the only merge methods; none: all
	UpToDate        bool     // the head must contain the base
	MergeQueue      bool     // merges only go through the merge queue
	DismissStale    bool     // a push dismisses approvals
	Signatures      bool     // commits must be signed
	Linear          bool     // no merge commits
	Update          bool     // only actors on the bypass list change the branch
	Creation        bool     // only they create it
	Deletion        bool     // only they delete it
	NonFastForward  bool     // only they force a push
	Bypass          []string // logins that may do all the same, as in the bypass list of a ruleset
	People          bool     // all people are on that list, as members of a team: the rules bind Apps
}

// Protect sets the protection of a branch; the zero Protection removes it.
func (r *Rules) Protect(branch string, protection Protection) {
	r.Protections[branch] = protection
	if protection.empty() {
		delete(r.Protections, branch)
	}
}

func (p Protection) empty() bool {
	return len(p.RequiredChecks) == 0 && !p.ReviewsPulls() && !p.UpToDate && !p.MergeQueue && !p.DismissStale &&
		!p.Signatures && !p.Linear && !p.Update && !p.Creation && !p.Deletion && !p.NonFastForward
}

// ReviewsPulls reports whether changes must be made through a pull request.
func (p Protection) ReviewsPulls() bool {
	return p.PullRequests || p.RequiredReviews > 0 || len(p.Owners) > 0 || p.LastPush || len(p.Methods) > 0
}

// Passes reports whether the protection does not bind an account.
func (p Protection) Passes(who *Account) bool {
	return p.People && who.Kind == KindUser || slices.Contains(p.Bypass, who.Login)
}

// Bind adds or takes away the rules for Apps of the default branch: no merge commits, and signed commits only, which
// GitHub makes when it squashes. If only one merge method is left on, the rules allow that one.
func (r *Repository) Bind(on bool, only string) {
	branch := r.git.DefaultBranch()
	p := r.Protections[branch]
	p.Linear, p.Signatures, p.People = on && only != "merge", on && (only == "" || only == "squash"), on
	r.Protect(branch, p)
	off := func(method string) bool { return on && only != "" && only != method }
	r.Settings.NoMergeCommit, r.Settings.NoSquash, r.Settings.NoRebase = off("merge"), off("squash"), off("rebase")
}

func (r *Rules) allowsMethod(method string) error {
	switch {
	case method == "merge" && r.Settings.NoMergeCommit:
		return Refuse(http.StatusMethodNotAllowed, "Merge commits are not allowed on this repository.")
	case method == "squash" && r.Settings.NoSquash:
		return Refuse(http.StatusMethodNotAllowed, "Squash merges are not allowed on this repository.")
	case method == "rebase" && r.Settings.NoRebase:
		return Refuse(http.StatusMethodNotAllowed, "Rebase merges are not allowed on this repository.")
	}
	return nil
}

// MethodOf returns the merge method of a person who would use one, or any if that is empty: the usual one where theirs
// is switched off.
func (r *Rules) MethodOf(wanted string) string {
	for _, method := range []string{cmp.Or(wanted, "squash"), "squash", "merge"} {
		if r.allowsMethod(method) == nil {
			return method
		}
	}
	return "rebase"
}

// mergeQueueOnly is the error of a merge or push that bypasses a merge queue.
const mergeQueueOnly = "Changes must be made through the merge queue"

// unmet lists, in GitHub's words, the requirements of the base branch that a pull request does not meet.
func (r *Repository) unmet(p *Pull) []string {
	unmet := r.unmetBesideQueue(p)
	if r.Protections[p.BaseRef].MergeQueue {
		unmet = append([]string{mergeQueueOnly}, unmet...)
	}
	return unmet
}

// unmetBesideQueue is like unmet, but without the merge queue. The queue itself uses it.
func (r *Repository) unmetBesideQueue(p *Pull) []string {
	protection, protected := r.Protections[p.BaseRef]
	if !protected {
		return nil
	}
	var unmet []string
	if reason := r.unmetChecks(p.HeadSHA, protection); reason != "" {
		unmet = append(unmet, reason)
	}
	if approvals := p.countedApprovals(protection); approvals < protection.RequiredReviews {
		missing := protection.RequiredReviews - approvals
		unmet = append(unmet, fmt.Sprintf("At least %d approving review%s required by reviewers with write access.", missing,
			plural(missing, " is", "s are")))
	}
	if len(protection.Owners) > 0 && !p.approvedByAny(protection.Owners) {
		unmet = append(unmet, "Waiting on code owner review from "+strings.Join(protection.Owners, " and/or ")+".")
	}
	if p.ChangesRequested() && protection.RequiredReviews > 0 {
		unmet = append(unmet, "Changes have been requested.")
	}
	if protection.UpToDate && r.behind(p) {
		unmet = append(unmet, "Head branch is out of date. Review and try the merge again.")
	}
	return unmet
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// unmetChecks describes the required checks that have not succeeded: one by its name, several by their number.
func (r *Repository) unmetChecks(sha string, protection Protection) string {
	var unmet []string
	required, expected := protection.RequiredChecks, 0
	for _, name := range required {
		state := r.CheckStateOf(sha, name, protection.CheckApp)
		if state == "" {
			continue
		}
		if state == "expected" {
			expected++
		}
		unmet = append(unmet, fmt.Sprintf("Required status check %q is %s.", name, state))
	}
	switch {
	case len(unmet) == 0:
		return ""
	case len(unmet) == 1:
		return unmet[0]
	case expected == len(unmet):
		return fmt.Sprintf("%d of %d required status checks are expected.", len(unmet), len(required))
	}
	return fmt.Sprintf("%d of %d required status checks have not succeeded.", len(unmet), len(required))
}

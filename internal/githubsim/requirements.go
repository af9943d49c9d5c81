package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/gitstore"
)

// mergeQueueOnly is GitHub's answer to whoever goes around a merge queue.
const mergeQueueOnly = "Changes must be made through the merge queue"

// unmet lists, in GitHub's words, what the protection of the base branch still demands of a pull request.
func (r *repository) unmet(p *pull) []string {
	unmet := r.unmetBesideQueue(p)
	if r.protections[p.baseRef].MergeQueue {
		unmet = append([]string{mergeQueueOnly}, unmet...)
	}
	return unmet
}

// unmetBesideQueue is unmet without the merge queue, as the queue itself asks.
func (r *repository) unmetBesideQueue(p *pull) []string {
	protection, protected := r.protections[p.baseRef]
	if !protected {
		return nil
	}
	var unmet []string
	if reason := r.unmetChecks(p.headSHA, protection.RequiredChecks); reason != "" {
		unmet = append(unmet, reason)
	}
	if approvals := p.approvals(); approvals < protection.RequiredReviews {
		missing := protection.RequiredReviews - approvals
		unmet = append(unmet, fmt.Sprintf("At least %d approving review%s required by reviewers with write access.", missing, plural(missing, " is", "s are")))
	}
	if p.changesRequested() && protection.RequiredReviews > 0 {
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

// behind reports whether the base has commits that the head does not contain.
func (r *repository) behind(p *pull) bool {
	base, exists := r.git.Branch(p.baseRef)
	return exists && !r.git.IsAncestor(base, p.headSHA)
}

// unmetChecks words the required checks that have not succeeded: one by its name, several by their number.
func (r *repository) unmetChecks(sha string, required []string) string {
	var unmet []string
	expected := 0
	for _, name := range required {
		state := r.checkState(sha, name)
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

// checkState says how a required check stands on a commit: empty when it is satisfied. Skipped and neutral runs satisfy it.
func (r *repository) checkState(sha, name string) string {
	state := "expected"
	for _, run := range r.latestRuns(sha) {
		if run.name != name {
			continue
		}
		switch {
		case run.status != "completed":
			return run.statusWords()
		case run.conclusion == "success" || run.conclusion == "neutral" || run.conclusion == "skipped":
			state = ""
		default:
			return "failing"
		}
	}
	for _, s := range r.latestStatuses(sha) {
		if s.context != name {
			continue
		}
		switch s.state {
		case "success":
			state = ""
		case "pending":
			return "pending"
		default:
			return "failing"
		}
	}
	return state
}

// mergeableState is the summary that GitHub shows in mergeable_state once the test merge is known.
func (r *repository) mergeableState(p *pull) string {
	protection := r.protections[p.baseRef]
	switch {
	case len(p.conflicts) > 0:
		return "dirty"
	case p.draft: // a conflicting draft is dirty
		return "draft"
	case protection.UpToDate && r.behind(p):
		return "behind"
	case len(r.unmet(p)) > 0:
		return "blocked"
	case r.unstable(p.headSHA):
		return "unstable"
	}
	return "clean"
}

// unstable reports whether something that is not required is pending or failing.
func (r *repository) unstable(sha string) bool {
	for _, run := range r.latestRuns(sha) {
		if r.checkState(sha, run.name) != "" {
			return true
		}
	}
	for _, s := range r.latestStatuses(sha) {
		if s.state != "success" {
			return true
		}
	}
	return false
}

// approvals counts the people whose latest decisive review approves.
func (p *pull) approvals() int {
	count := 0
	for _, state := range p.verdicts() {
		if state == "APPROVED" {
			count++
		}
	}
	return count
}

func (p *pull) changesRequested() bool {
	for _, state := range p.verdicts() {
		if state == "CHANGES_REQUESTED" {
			return true
		}
	}
	return false
}

// verdicts is the latest decisive review of each person but the author.
func (p *pull) verdicts() map[string]string {
	latest := map[string]string{}
	for _, one := range p.reviews {
		if one.author != p.author && one.author.kind == kindUser && one.state != "COMMENTED" && one.state != "PENDING" {
			latest[one.author.login] = one.state
		}
	}
	return latest
}

// contains reports whether a commit is reachable from a branch.
func (r *repository) contains(branch, sha string) bool {
	head, exists := r.git.Branch(branch)
	return exists && r.git.Has(gitstore.KindCommit, sha) && r.git.IsAncestor(sha, head)
}

package githubsim

import (
	"net/http"
	"slices"
	"strings"
)

// mergeRequest is how a pull request is to be merged.
type mergeRequest struct {
	method  string // merge, squash, rebase
	title   string
	message string
	sha     string // the head that was seen; empty for any
}

// Merges merges pull requests: when asked, by themselves, and when their head was pushed to the base.
type Merges struct {
	clock  *Clock
	refs   *Refs
	pulls  *Pulls
	queues *Queues
}

// Merge merges a pull request if GitHub would, and answers the SHA of the newest commit on the base branch.
func (ms *Merges) Merge(r *repository, p *pull, in mergeRequest, who *account) (string, error) {
	if err := ms.mayMerge(r, p, in, who); err != nil {
		return "", err
	}
	base, _ := r.git.Branch(p.baseRef)
	p.baseSHA = base
	p.commits = len(r.headCommits(p))
	sha, err := ms.pulls.squash(r, p, base, in, who)
	if err != nil {
		return "", err
	}
	p.baseSHA = base
	if e := r.entryOf(p); e != nil {
		if err := ms.queues.remove(r, e, removedOtherwise, who); err != nil {
			return "", err
		}
	}
	ms.pulls.markMerged(r, p, sha, who)
	if err := ms.refs.Push(r, "refs/heads/"+p.baseRef, sha, who); err != nil {
		return "", err
	}
	if r.settings.DeleteBranchOnMerge && p.from == r {
		return sha, ms.refs.Delete(r, "refs/heads/"+p.headRef, who)
	}
	return sha, nil
}

// baseMoved follows a push to a branch that pull requests go to: one whose head is in it now counts as merged, and a merge queue
// starts over.
func (ms *Merges) baseMoved(push Push) error {
	r, branch := push.Repo, push.branch()
	for _, p := range r.openPulls() {
		if p.baseRef != branch || !r.git.IsAncestor(p.headSHA, push.After) {
			continue
		}
		ms.pulls.markMerged(r, p, push.After, push.Who)
		if e := r.entryOf(p); e != nil {
			if err := ms.queues.remove(r, e, removedOtherwise, push.Who); err != nil {
				return err
			}
		}
	}
	return ms.queues.run(r, branch)
}

// mayMerge says no as GitHub does: 405 for what is not possible now, 409 for a head that is not the one that was seen.
func (ms *Merges) mayMerge(r *repository, p *pull, in mergeRequest, who *account) error {
	if !p.open {
		return refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	if p.draft {
		return refuse(http.StatusMethodNotAllowed, "Pull Request is still a draft")
	}
	if in.sha != "" && in.sha != p.headSHA {
		return refuse(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	if err := r.allowsMethod(in.method); err != nil {
		return err
	}
	if err := ms.pulls.test(r, p); err != nil {
		return err
	}
	if len(p.conflicts) > 0 {
		return refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	if unmet := r.unmet(p); len(unmet) > 0 && !slices.Contains(r.protections[p.baseRef].Bypass, who.login) {
		return refuse(http.StatusMethodNotAllowed, "%s", strings.Join(unmet, " "))
	}
	return nil
}

// Arm lets a pull request merge by itself once its requirements are met. GitHub refuses where nothing is missing: merge it then.
func (ms *Merges) Arm(r *repository, p *pull, method string, who *account) error {
	switch {
	case !r.settings.AutoMerge:
		return invalid("Auto merge is not allowed for this repository")
	case !p.open:
		return invalid("Pull request Pull request is closed")
	case p.draft:
		return invalid("Pull request Pull request is in draft state")
	}
	if err := ms.pulls.test(r, p); err != nil {
		return err
	}
	if r.protections[p.baseRef].MergeQueue && len(r.unmetBesideQueue(p)) == 0 {
		_, err := ms.queues.Enter(r, p, false, who)
		return err
	}
	if state := r.mergeableState(p); state == "clean" || state == "unstable" {
		return invalid("Pull request Pull request is in %s status", state)
	}
	if err := r.allowsMethod(method); err != nil {
		return err
	}
	p.autoMerge = &autoMerge{by: who, method: method, since: ms.clock.Now()}
	ms.pulls.tell(r, p, "auto_merge_enabled", who, nil)
	return nil
}

// reported looks after everything that waits for a commit to get better: pull requests that merge by themselves, and merge queues.
func (ms *Merges) reported(r *repository, sha string) error {
	for _, p := range r.openPulls() {
		if p.autoMerge != nil && p.headSHA == sha {
			if err := ms.retry(r, p); err != nil {
				return err
			}
		}
	}
	for _, e := range r.queue {
		if e.head == sha {
			return ms.queues.run(r, e.pull.baseRef)
		}
	}
	return nil
}

// retry merges or enqueues a pull request that waits to; what is still missing keeps it waiting, anything else ends it.
func (ms *Merges) retry(r *repository, p *pull) error {
	waiting := p.autoMerge
	if r.protections[p.baseRef].MergeQueue {
		if len(r.unmetBesideQueue(p)) > 0 {
			return nil
		}
		_, err := ms.queues.Enter(r, p, false, waiting.by)
		return err
	}
	_, err := ms.Merge(r, p, mergeRequest{method: waiting.method}, waiting.by)
	switch {
	case err == nil || asAPIError(err).status == http.StatusMethodNotAllowed:
		return nil
	case asAPIError(err).status == http.StatusInternalServerError:
		return err
	}
	ms.pulls.Disarm(r, p, waiting.by)
	return nil
}

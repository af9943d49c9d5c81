package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim/gitstore"
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

// markMerged records that a pull request is merged.
func (ps *Pulls) markMerged(r *repository, p *pull, sha string, who *account) {
	if p.commits == 0 {
		p.commits = max(1, len(r.headCommits(p)))
	}
	ps.tracker.Close(p.issue, who)
	p.merged, p.mergedAt, p.mergedBy, p.mergeSHA, p.autoMerge = true, ps.clock.Now(), who, sha, nil
	ps.Tell(r, p, "closed", who, nil)
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

func (r *repository) allowsMethod(method string) error {
	switch {
	case method == "merge" && r.settings.NoMergeCommit:
		return refuse(http.StatusMethodNotAllowed, "Merge commits are not allowed on this repository.")
	case method == "squash" && r.settings.NoSquash:
		return refuse(http.StatusMethodNotAllowed, "Squash merges are not allowed on this repository.")
	case method == "rebase" && r.settings.NoRebase:
		return refuse(http.StatusMethodNotAllowed, "Rebase merges are not allowed on this repository.")
	}
	return nil
}

// mergeCommit makes what lands on the base branch.
func (ps *Pulls) squash(r *repository, p *pull, base string, in mergeRequest, who *account) (string, error) {
	if in.method == "rebase" {
		return ps.rebase(r, p, base)
	}
	m, err := r.git.Merge(base, p.headSHA)
	if err != nil {
		return "", err
	}
	c := gitstore.Commit{Tree: m.Tree, Parents: []string{base}, Author: ps.refs.Signature(who), Committer: ps.refs.WebFlow()}
	if in.method == "squash" {
		c.Author = ps.refs.Signature(p.author)
		c.Message = message(in, fmt.Sprintf("%s (#%d)", p.title, p.number), r.squashBody(p))
	} else {
		c.Parents = append(c.Parents, p.headSHA)
		c.Message = message(in, fmt.Sprintf("Merge pull request #%d from %s/%s", p.number, p.owner.login, p.headRef), p.title)
	}
	return r.git.WriteCommit(c)
}

// message puts title and body together, the given ones before GitHub's own.
func message(in mergeRequest, title, body string) string {
	if in.title != "" {
		title = in.title
	}
	if in.message != "" || in.title != "" {
		body = in.message
	}
	return strings.TrimSpace(title + "\n\n" + body)
}

// squashBody is the default description of a squash: the messages of the commits, when there are several.
func (r *repository) squashBody(p *pull) string {
	commits := r.headCommits(p)
	if len(commits) < 2 {
		return ""
	}
	var lines []string
	for _, c := range commits {
		lines = append(lines, "* "+c.Message)
	}
	return strings.Join(lines, "\n\n")
}

// rebase puts the commits of a pull request on top of the base, one by one.
func (ps *Pulls) rebase(r *repository, p *pull, base string) (string, error) {
	onto := base
	for _, c := range r.headCommits(p) {
		if len(c.Parents) > 1 {
			return "", refuse(http.StatusMethodNotAllowed, "This branch can't be rebased")
		}
		picked, err := r.git.CherryPick(onto, c.SHA)
		if err != nil {
			return "", err
		}
		if !picked.Clean() {
			return "", refuse(http.StatusMethodNotAllowed, "This branch can't be rebased")
		}
		onto, err = r.git.WriteCommit(gitstore.Commit{Tree: picked.Tree, Parents: []string{onto}, Author: c.Author, Committer: ps.refs.WebFlow(), Message: c.Message})
		if err != nil {
			return "", err
		}
	}
	return onto, nil
}

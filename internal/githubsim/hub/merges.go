package hub

import (
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// MergeRequest describes the merge of a pull request.
type MergeRequest struct {
	Method  string // merge, squash, rebase
	Title   string
	Message string
	SHA     string // the expected head; empty for any
}

// Merges merges pull requests: on request, by auto-merge, and when their head was pushed to the base.
type Merges struct {
	clock  *Clock
	refs   *Refs
	pulls  *Pulls
	queues *Queues
}

// Merge merges a pull request if GitHub would, and returns the SHA of the newest commit on the base branch.
func (ms *Merges) Merge(r *Repository, p *Pull, in MergeRequest, who *Account) (string, error) {
	if err := ms.mayMerge(r, p, in, who); err != nil {
		return "", err
	}
	base, _ := r.git.Branch(p.BaseRef)
	p.BaseSHA = base
	p.Commits = len(r.HeadCommits(p))
	sha, err := ms.pulls.mergeCommit(r, p, base, in, who)
	if err != nil {
		return "", err
	}
	p.BaseSHA = base
	if e := r.EntryOf(p); e != nil {
		if err := ms.queues.remove(r, e, removedOtherwise, who); err != nil {
			return "", err
		}
	}
	ms.pulls.markMerged(r, p, sha, who)
	if err := ms.refs.push(r, "refs/heads/"+p.BaseRef, sha, who, "pr_merge"); err != nil {
		return "", err
	}
	if r.Settings.DeleteBranchOnMerge && p.From == r {
		return sha, ms.refs.Delete(r, "refs/heads/"+p.HeadRef, who)
	}
	return sha, nil
}

// baseMoved handles a push to a base branch: a pull request whose head is in it now counts as merged, and a merge queue
// starts over.
func (ms *Merges) baseMoved(push Push) error {
	r, branch := push.Repo, push.branch()
	for _, p := range r.OpenPulls() {
		if p.BaseRef != branch || !r.git.IsAncestor(p.HeadSHA, push.After) {
			continue
		}
		ms.pulls.markMerged(r, p, push.After, push.Who)
		if e := r.EntryOf(p); e != nil {
			if err := ms.queues.remove(r, e, removedOtherwise, push.Who); err != nil {
				return err
			}
		}
	}
	return ms.queues.run(r, branch)
}

// mayMerge returns GitHub's error if a merge is refused: 405 if it is not possible now, 409 if the head is not
// the expected one.
func (ms *Merges) mayMerge(r *Repository, p *Pull, in MergeRequest, who *Account) error {
	if !p.Open {
		return Refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	if p.Draft {
		return Refuse(http.StatusMethodNotAllowed, "Pull Request is still a draft")
	}
	// A server that has not heard of the newest push refuses its commit, and never merges it in place of the one that the
	// request names.
	if head, _ := ms.pulls.lag.Head(p); in.SHA != "" && (in.SHA != head || in.SHA != p.HeadSHA) {
		return Refuse(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	if err := r.allowsMethod(in.Method); err != nil {
		return err
	}
	if err := ms.pulls.test(r, p); err != nil {
		return err
	}
	if len(p.Conflicts) > 0 {
		return Refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	protection := r.Protections[p.BaseRef]
	if protection.Passes(who) {
		return nil
	}
	if err := ms.pulls.refs.refusesMethod(r, p, in.Method); err != nil {
		return err
	}
	if unmet := r.unmet(p); len(unmet) > 0 {
		return Refuse(http.StatusMethodNotAllowed, "%s", strings.Join(unmet, " "))
	}
	return nil
}

// Arm enables auto-merge of a pull request. Like GitHub, it refuses if no requirement is missing, because the pull
// request can then be merged.
func (ms *Merges) Arm(r *Repository, p *Pull, method string, who *Account) error {
	switch {
	case !r.Settings.AutoMerge:
		return Invalid("Auto merge is not allowed for this repository")
	case !p.Open:
		return Invalid("Pull request Pull request is closed")
	case p.Draft:
		return Invalid("Pull request Pull request is in draft state")
	}
	if err := ms.pulls.test(r, p); err != nil {
		return err
	}
	if r.Protections[p.BaseRef].MergeQueue && len(r.unmetBesideQueue(p)) == 0 {
		_, err := ms.queues.Enter(r, p, false, who)
		return err
	}
	if state := r.MergeableState(p); state == "clean" || state == "unstable" {
		return Invalid("Pull request Pull request is in %s status", state)
	}
	if err := r.allowsMethod(method); err != nil {
		return err
	}
	p.AutoMerge = &AutoMerge{By: who, Method: method, Since: ms.clock.Now()}
	ms.pulls.tell(r, p, "auto_merge_enabled", who, nil)
	return nil
}

// reported retries the auto-merges and merge queues that wait for a commit, after a report on it.
func (ms *Merges) reported(r *Repository, sha string) error {
	for _, p := range r.OpenPulls() {
		if p.AutoMerge != nil && p.HeadSHA == sha {
			if err := ms.retry(r, p); err != nil {
				return err
			}
		}
	}
	for _, e := range r.queue {
		if e.Head == sha {
			return ms.queues.run(r, e.Pull.BaseRef)
		}
	}
	return nil
}

// retry merges or enqueues a pull request with auto-merge. It keeps waiting while a requirement is unmet; any other
// error ends its auto-merge.
func (ms *Merges) retry(r *Repository, p *Pull) error {
	waiting := p.AutoMerge
	if r.Protections[p.BaseRef].MergeQueue {
		if len(r.unmetBesideQueue(p)) > 0 {
			return nil
		}
		_, err := ms.queues.Enter(r, p, false, waiting.By)
		return err
	}
	_, err := ms.Merge(r, p, MergeRequest{Method: waiting.Method}, waiting.By)
	switch {
	case err == nil || AsRefusal(err).Status == http.StatusMethodNotAllowed:
		return nil
	case AsRefusal(err).Status == http.StatusInternalServerError:
		return err
	}
	ms.pulls.Disarm(r, p, waiting.By)
	return nil
}

// markMerged records that a pull request is merged.
func (ps *Pulls) markMerged(r *Repository, p *Pull, sha string, who *Account) {
	if p.Commits == 0 {
		p.Commits = max(1, len(r.HeadCommits(p)))
	}
	ps.tracker.close(p.Issue, who)
	p.Merged, p.MergedAt, p.MergedBy, p.MergeSHA, p.AutoMerge = true, ps.clock.Now(), who, sha, nil
	ps.tell(r, p, "closed", who, nil)
}

// mergeCommit creates the commit that is pushed to the base branch.
func (ps *Pulls) mergeCommit(r *Repository, p *Pull, base string, in MergeRequest, who *Account) (string, error) {
	if in.Method == "rebase" {
		return ps.rebase(r, p, base)
	}
	m, err := r.git.Merge(base, p.HeadSHA)
	if err != nil {
		return "", err
	}
	c := gitstore.Commit{
		Tree: m.Tree, Parents: []string{base}, Author: ps.refs.Signature(who), Committer: ps.refs.WebFlow(),
	}
	if in.Method == "squash" {
		c.Author = ps.refs.Signature(p.Author)
		c.Message = message(in, fmt.Sprintf("%s (#%d)", p.Title, p.Number), r.squashBody(p))
	} else {
		c.Parents = append(c.Parents, p.HeadSHA)
		c.Message = message(in, fmt.Sprintf("Merge pull request #%d from %s/%s", p.Number, p.Owner.Login, p.HeadRef), p.Title)
	}
	return r.git.WriteCommit(c)
}

// message joins title and body. Given texts replace GitHub's own.
func message(in MergeRequest, title, body string) string {
	if in.Title != "" {
		title = in.Title
	}
	if in.Message != "" || in.Title != "" {
		body = in.Message
	}
	return strings.TrimSpace(title + "\n\n" + body)
}

// squashBody returns the default description of a squash: the messages of the commits, if there are several.
func (r *Repository) squashBody(p *Pull) string {
	commits := r.HeadCommits(p)
	if len(commits) < 2 {
		return ""
	}
	var lines []string
	for _, c := range commits {
		lines = append(lines, "* "+c.Message)
	}
	return strings.Join(lines, "\n\n")
}

// rebase applies the commits of a pull request to the base, one by one.
func (ps *Pulls) rebase(r *Repository, p *Pull, base string) (string, error) {
	onto := base
	for _, c := range r.HeadCommits(p) {
		if len(c.Parents) > 1 {
			return "", Refuse(http.StatusMethodNotAllowed, "This branch can't be rebased")
		}
		picked, err := r.git.CherryPick(onto, c.SHA)
		if err != nil {
			return "", err
		}
		if !picked.Clean() {
			return "", Refuse(http.StatusMethodNotAllowed, "This branch can't be rebased")
		}
		onto, err = r.git.WriteCommit(gitstore.Commit{
			Tree: picked.Tree, Parents: []string{onto}, Author: c.Author, Committer: ps.refs.WebFlow(), Message: c.Message,
		})
		if err != nil {
			return "", err
		}
	}
	return onto, nil
}

package githubsim

import (
	"fmt"
	"net/http"
	"strings"
	"waybill/internal/githubsim/gitstore"
)

// markMerged records that a pull request is merged.
func (ps *Pulls) markMerged(r *repository, p *pull, sha string, who *account) {
	if p.commits == 0 {
		p.commits = max(1, len(r.headCommits(p)))
	}
	ps.tracker.Close(p.issue, who)
	p.merged, p.mergedAt, p.mergedBy, p.mergeSHA, p.autoMerge = true, ps.clock.Now(), who, sha, nil
	ps.tell(r, p, "closed", who, nil)
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

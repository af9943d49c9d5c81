package hub

import (
	"fmt"
	"net/http"
	"strings"
	"waybill/internal/githubsim/gitstore"
)

// markMerged records that a pull request is merged.
func (ps *Pulls) markMerged(r *Repository, p *Pull, sha string, who *Account) {
	if p.Commits == 0 {
		p.Commits = max(1, len(r.HeadCommits(p)))
	}
	ps.tracker.close(p.Issue, who)
	p.Merged, p.MergedAt, p.MergedBy, p.MergeSHA, p.AutoMerge = true, ps.clock.Now(), who, sha, nil
	ps.tell(r, p, "closed", who, nil)
}

// mergeCommit makes what lands on the base branch.
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

// message puts title and body together, the given ones before GitHub's own.
func message(in MergeRequest, title, body string) string {
	if in.Title != "" {
		title = in.Title
	}
	if in.Message != "" || in.Title != "" {
		body = in.Message
	}
	return strings.TrimSpace(title + "\n\n" + body)
}

// squashBody is the default description of a squash: the messages of the commits, when there are several.
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

// rebase puts the commits of a pull request on top of the base, one by one.
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

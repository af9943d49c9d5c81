package gh

import (
	"context"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Pull reads a pull request. Of one that is closed and not merged it takes a second request to learn who closed it.
func (c *Client) Pull(ctx context.Context, number int) (promotion.Pull, error) {
	p, err := c.look(ctx, number)
	if err != nil {
		return promotion.Pull{}, err
	}
	return c.pullFact(ctx, p)
}

// look reads a pull request with all that GitHub tells.
func (c *Client) look(ctx context.Context, number int) (*github.PullRequest, error) {
	p, _, err := c.rest.PullRequests.Get(ctx, c.owner, c.name, number)
	if err != nil {
		return nil, c.wrong(err, "read pull request #%d", number)
	}
	return p, nil
}

// pullFact returns a pull request as a fact.
func (c *Client) pullFact(ctx context.Context, p *github.PullRequest) (promotion.Pull, error) {
	self, err := c.self(ctx)
	if err != nil {
		return promotion.Pull{}, err
	}
	fact := promotion.Pull{
		Repo:      c.repo,
		Number:    p.GetNumber(),
		Head:      p.GetHead().GetRef(),
		HeadSHA:   promotion.SHA(p.GetHead().GetSHA()),
		Base:      p.GetBase().GetRef(),
		State:     promotion.PullOpen,
		URL:       p.GetHTMLURL(),
		Conflicts: conflicting(p),
		Updated:   p.GetUpdatedAt().UTC(),
	}
	switch {
	case !p.GetMergedAt().IsZero(): // lists tell the time and nothing else
		fact.State = promotion.PullMerged
		fact.MergeSHA = promotion.SHA(p.GetMergeCommitSHA()) // before the merge it is that of a trial
		fact.MergedAt = p.GetMergedAt().UTC()
		fact.By = self.by(p.MergedBy)
	case p.GetState() == "closed":
		fact.State = promotion.PullClosed
		closer, err := c.closer(ctx, p.GetNumber())
		if err != nil {
			return promotion.Pull{}, err
		}
		fact.By = self.by(closer)
	}
	if merged := fact.State == promotion.PullMerged; fact.Number <= 0 || merged && fact.MergeSHA == "" ||
		p.GetMerged() && !merged {
		return promotion.Pull{}, incomplete("a pull request")
	}
	return fact, nil
}

// closer returns who closed a pull request: only its issue knows. Without the permission for issues it is
// not known, and nobody is named.
func (c *Client) closer(ctx context.Context, number int) (*github.User, error) {
	issue, _, err := c.rest.Issues.Get(ctx, c.owner, c.name, number)
	if isLacking(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.wrong(err, "ask who closed #%d", number)
	}
	return issue.ClosedBy, nil
}

// conflicting reports whether a pull request is known not to fit its base.
func conflicting(p *github.PullRequest) bool {
	return p.GetMergeableState() == "dirty" || p.Mergeable != nil && !*p.Mergeable
}

// ours reports whether a pull request comes from a branch of this repository: a fork may name its branches as it likes.
func (c *Client) ours(p *github.PullRequest) bool {
	return strings.EqualFold(p.GetHead().GetRepo().GetFullName(), string(c.repo))
}

// findPull finds the pull request from a branch of this repository: the open one, else the newest.
func (c *Client) findPull(ctx context.Context, branch string) (pull promotion.Pull, found bool, err error) {
	list, _, err := c.rest.PullRequests.List(ctx, c.owner, c.name, &github.PullRequestListOptions{
		State: "all", Head: c.owner + ":" + branch, Sort: "created", Direction: "desc",
		ListOptions: github.ListOptions{PerPage: perPage},
	})
	if err != nil {
		return promotion.Pull{}, false, c.wrong(err, "find pull request from %s", branch)
	}
	number := 0
	for _, p := range list {
		if !c.ours(p) || p.GetHead().GetRef() != branch {
			continue
		}
		if p.GetState() == "open" {
			number = p.GetNumber()
			break
		}
		number = max(number, p.GetNumber())
	}
	if number == 0 {
		return promotion.Pull{}, false, nil
	}
	pull, err = c.Pull(ctx, number)
	return pull, err == nil, err
}

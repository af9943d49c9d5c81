package gh

import (
	"context"
	"errors"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Read reads a pull request. Of one that is closed and not merged it takes a second request to learn who closed it.
func (pl Pulls) Read(ctx context.Context, number int) (promotion.Pull, error) {
	p, err := pl.look(ctx, number)
	if err != nil {
		return promotion.Pull{}, err
	}
	return pl.fact(ctx, p)
}

// Reread reads a pull request that GitHub has shown before.
func (pl Pulls) Reread(ctx context.Context, number int) (promotion.Pull, error) {
	pull, err := pl.Read(ctx, number)
	return pull, pl.unseen(ctx, err)
}

// RereadPushed reads an open pull request whose branch has been moved from a commit. As long as GitHub shows it with
// that commit, it is to be looked at again.
func (pl Pulls) RereadPushed(ctx context.Context, number int, from promotion.SHA) (promotion.Pull, error) {
	pull, err := pl.Reread(ctx, number)
	if err == nil && pull.State == promotion.PullOpen && pull.HeadSHA == from {
		err = &failure{class: ClassLookAgain, text: "GitHub does not show the new commit of the pull request yet"}
	}
	return pull, err
}

// unseen returns the error about a pull request that GitHub has shown before. That it is not found says that one of
// GitHub's servers has not heard of it: nobody can delete a pull request.
func (pl Pulls) unseen(ctx context.Context, err error) error {
	if err = pl.c.Missing(ctx, err); errors.Is(err, ErrNotFound) && !errors.Is(err, ErrNoAccess) {
		return &failure{class: ClassLookAgain, text: "GitHub does not show the pull request now"}
	}
	return err
}

// look reads a pull request with all that GitHub tells.
func (pl Pulls) look(ctx context.Context, number int) (*github.PullRequest, error) {
	p, _, err := pl.c.rest.PullRequests.Get(ctx, pl.c.owner, pl.c.name, number)
	if err != nil {
		return nil, pl.c.wrong(err, "read pull request #%d", number)
	}
	return p, nil
}

// fact returns a pull request as a fact.
func (pl Pulls) fact(ctx context.Context, p *github.PullRequest) (promotion.Pull, error) {
	self, err := pl.c.self(ctx)
	if err != nil {
		return promotion.Pull{}, err
	}
	fact := promotion.Pull{
		Repo:    pl.c.repo,
		Number:  p.GetNumber(),
		Head:    p.GetHead().GetRef(),
		HeadSHA: promotion.SHA(p.GetHead().GetSHA()),
		Base:    p.GetBase().GetRef(),
		State:   promotion.PullOpen,
		URL:     p.GetHTMLURL(),
		Updated: p.GetUpdatedAt().UTC(),
	}
	fact.Conflicts, fact.FitUnknown = conflicting(p), p.Mergeable == nil && unsure(p.GetMergeableState())
	switch {
	case !p.GetMergedAt().IsZero(): // lists tell the time and nothing else
		fact.State = promotion.PullMerged
		fact.MergeSHA = promotion.SHA(p.GetMergeCommitSHA()) // before the merge it is that of a trial
		fact.MergedAt = p.GetMergedAt().UTC()
		fact.By, fact.NewCommit = self.by(p.MergedBy), self.is(p.MergedBy)
	case p.GetState() == "closed":
		fact.State = promotion.PullClosed
		closer, err := pl.closer(ctx, p.GetNumber())
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
func (pl Pulls) closer(ctx context.Context, number int) (*github.User, error) {
	issue, _, err := pl.c.rest.Issues.Get(ctx, pl.c.owner, pl.c.name, number)
	if isLacking(err) {
		return nil, nil
	}
	if err != nil {
		return nil, pl.c.wrong(err, "ask who closed #%d", number)
	}
	return issue.ClosedBy, nil
}

// conflicting reports whether a pull request is known not to fit its base.
func conflicting(p *github.PullRequest) bool {
	return p.GetMergeableState() == "dirty" || p.Mergeable != nil && !*p.Mergeable
}

// unsure reports whether a state of a pull request leaves open whether it fits its base. Lists have no state.
func unsure(state string) bool { return state == "" || state == "unknown" }

// ours reports whether a pull request comes from a branch of this repository: a fork may name its branches as it likes.
func (pl Pulls) ours(p *github.PullRequest) bool {
	return strings.EqualFold(p.GetHead().GetRepo().GetFullName(), string(pl.c.repo))
}

// find finds the pull request from a branch of this repository: the open one, else the newest.
func (pl Pulls) find(ctx context.Context, branch string) (pull promotion.Pull, found bool, err error) {
	list, _, err := pl.c.rest.PullRequests.List(ctx, pl.c.owner, pl.c.name, &github.PullRequestListOptions{
		State: "all", Head: pl.c.owner + ":" + branch, Sort: "created", Direction: "desc",
		ListOptions: github.ListOptions{PerPage: perPage},
	})
	if err != nil {
		return promotion.Pull{}, false, pl.c.wrong(err, "find pull request from %s", branch)
	}
	number := 0
	for _, p := range list {
		if !pl.ours(p) || p.GetHead().GetRef() != branch {
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
	pull, err = pl.Reread(ctx, number)
	return pull, err == nil, err
}

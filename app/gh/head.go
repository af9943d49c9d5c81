package gh

import (
	"context"
	"errors"

	"waybill/promotion"
)

// Head is where a repository's default branch is.
type Head struct {
	RepoID int64
	Branch string
	SHA    promotion.SHA
}

// Head asks for the default branch and where it is. Both answers cost nothing while they have not changed.
func (c *Client) Head(ctx context.Context) (Head, error) {
	repo, _, err := c.rest.Repositories.Get(ctx, c.owner, c.name)
	if err != nil {
		return Head{}, c.wrong(err, "read the default branch")
	}
	ref, _, err := c.rest.Git.GetRef(ctx, c.owner, c.name, "heads/"+repo.GetDefaultBranch())
	if err != nil {
		return Head{}, c.wrong(err, "read the head of %s", repo.GetDefaultBranch())
	}
	if repo.GetID() == 0 || repo.GetDefaultBranch() == "" || ref.GetObject().GetSHA() == "" {
		return Head{}, c.wrong(incomplete("the head"), "read the default branch")
	}
	return Head{RepoID: repo.GetID(), Branch: repo.GetDefaultBranch(), SHA: promotion.SHA(ref.GetObject().GetSHA())}, nil
}

// Missing tells apart two things of which GitHub says the same: something is not found, and then the error is returned as it is;
// or the whole repository is out of reach, though the token of its installation is good still, and then it is ErrNoAccess.
func (c *Client) Missing(ctx context.Context, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if lost := c.lost(ctx); lost != nil {
		return lost
	}
	return err
}

// lost returns why the repository cannot be reached; nil if it can.
func (c *Client) lost(ctx context.Context) error {
	_, _, err := c.rest.Repositories.Get(ctx, c.owner, c.name)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return noAccess("the App does not reach "+string(c.repo), err)
	}
	return c.wrong(err, "ask whether it can be reached")
}

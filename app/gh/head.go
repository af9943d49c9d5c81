package gh

import (
	"context"

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

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

// Default asks for the default branch and where it is. Both answers cost nothing while a token lasts and they have not
// changed.
func (br Branches) Default(ctx context.Context) (Head, error) {
	repo, _, err := br.c.rest.Repositories.Get(ctx, br.c.owner, br.c.name)
	if err != nil {
		return Head{}, br.c.wrong(err, "read the default branch")
	}
	ref, _, err := br.c.rest.Git.GetRef(ctx, br.c.owner, br.c.name, "heads/"+repo.GetDefaultBranch())
	if err != nil {
		return Head{}, br.c.wrong(err, "read the head of %s", repo.GetDefaultBranch())
	}
	if repo.GetID() == 0 || repo.GetDefaultBranch() == "" || ref.GetObject().GetSHA() == "" {
		return Head{}, br.c.wrong(incomplete("the head"), "read the default branch")
	}
	return Head{RepoID: repo.GetID(), Branch: repo.GetDefaultBranch(), SHA: promotion.SHA(ref.GetObject().GetSHA())}, nil
}

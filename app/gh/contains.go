package gh

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Contains reports whether a commit is an ancestor of another one, or the same. It is not if the repository does not
// have one of them. The answer never changes while both are there, and is remembered.
func (cm Commits) Contains(ctx context.Context, head, commit promotion.SHA) (bool, error) {
	key := fmt.Sprintf("%s %s %s", cm.c.repo, head, commit)
	if contains, known := cm.c.hub.within.Get(key); known {
		return contains, nil
	}
	compared, _, err := cm.c.rest.Repositories.CompareCommits(ctx, cm.c.owner, cm.c.name, string(commit), string(head),
		&github.ListOptions{PerPage: 1})
	if err = cm.c.wrong(err, "ask whether %s contains %s", head, commit); errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	contains := compared.GetStatus() == "ahead" || compared.GetStatus() == "identical"
	cm.c.hub.within.Add(key, contains)
	return contains, nil
}

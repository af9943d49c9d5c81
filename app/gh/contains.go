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
func (c *Client) Contains(ctx context.Context, head, commit promotion.SHA) (bool, error) {
	key := fmt.Sprintf("%s %s %s", c.repo, head, commit)
	if known, _ := c.hub.within.Get(key); known {
		return true, nil
	}
	compared, _, err := c.rest.Repositories.CompareCommits(ctx, c.owner, c.name, string(commit), string(head),
		&github.ListOptions{PerPage: 1})
	if err = c.wrong(err, "ask whether %s contains %s", head, commit); errors.Is(err, ErrNotFound) {
		return false, nil
	}
	contains := compared.GetStatus() == "ahead" || compared.GetStatus() == "identical"
	if err == nil && contains {
		c.hub.within.Add(key, true)
	}
	return err == nil && contains, err
}

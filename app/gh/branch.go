package gh

import (
	"context"
	"errors"

	"github.com/shurcooL/githubv4"

	"waybill/promotion"
)

// nowhere is the SHA of a branch that is not there.
const nowhere promotion.SHA = "0000000000000000000000000000000000000000"

// MoveBranch points a branch of ours to another commit, whether or not that follows from the first, if it still points
// to the first. If it points elsewhere the answer is ErrRefused: somebody else has been there, and nothing of theirs is
// overwritten. A move that has happened already is fine.
func (c *Client) MoveBranch(ctx context.Context, branch string, from, to promotion.SHA) error {
	return c.wrong(c.swap(ctx, branch, from, to), "move branch %s", branch)
}

// DeleteBranch deletes a branch, if it still points to a commit; with an empty SHA, wherever it points. A branch that is
// not there is fine.
func (c *Client) DeleteBranch(ctx context.Context, branch string, at promotion.SHA) error {
	if at == "" {
		head, err := c.head(ctx, branch)
		if err != nil || head == nowhere {
			return c.wrong(err, "delete branch %s", branch)
		}
		at = head
	}
	return c.wrong(c.swap(ctx, branch, at, nowhere), "delete branch %s", branch)
}

// swap changes what a branch points to if that is what we think it is. GitHub compares and changes in one step. After an
// error the branch is read: it is fine if it is where it should be, however it got there.
func (c *Client) swap(ctx context.Context, branch string, from, to promotion.SHA) error {
	id, err := c.nodeID(ctx)
	if err != nil {
		return err
	}
	before := githubv4.GitObjectID(from)
	input := githubv4.UpdateRefsInput{RepositoryID: id, RefUpdates: []githubv4.RefUpdate{{
		Name: githubv4.GitRefname("refs/heads/" + branch), BeforeOid: &before, AfterOid: githubv4.GitObjectID(to), Force: githubv4.NewBoolean(true),
	}}}
	const document = `mutation MoveBranch($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`
	err = c.ask(ctx, document, map[string]any{"input": input}, &struct{}{})
	if err == nil {
		return nil
	}
	switch head, lookErr := c.head(ctx, branch); {
	case lookErr != nil:
		return lookErr
	case head == to:
		return nil
	case head != from && head == nowhere:
		return notFound("branch %s is gone", branch)
	case head != from:
		return refused("branch %s points to %s and not to %s", branch, head, from)
	}
	return err
}

// head returns what a branch points to; nowhere if it is not there.
func (c *Client) head(ctx context.Context, branch string) (promotion.SHA, error) {
	ref, _, err := c.rest.Git.GetRef(ctx, c.owner, c.name, "heads/"+branch)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return nowhere, nil
	}
	return promotion.SHA(ref.GetObject().GetSHA()), err
}

// nodeID returns the id by which GraphQL knows the repository. It never changes; every read brings it along.
func (c *Client) nodeID(ctx context.Context) (githubv4.ID, error) {
	if id := c.node.Load(); id != nil {
		return *id, nil
	}
	if _, err := c.readHead(ctx, "", nil); err != nil {
		return nil, err
	}
	return *c.node.Load(), nil
}

package gh

import (
	"context"
	"errors"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// nowhere is the SHA of a branch that is not there.
const nowhere promotion.SHA = "0000000000000000000000000000000000000000"

// Move points a branch of ours to another commit, whether or not that follows from the first, if it still points to the
// first. If it points elsewhere the answer is ErrRefused: another person has pushed there, and nothing of theirs is
// overwritten. A move that has happened already is fine.
func (br Branches) Move(ctx context.Context, branch string, from, to promotion.SHA) error {
	return br.c.wrong(br.swap(ctx, branch, from, to), "move branch %s", branch)
}

// delete deletes a branch, if it still points to a commit of ours. Without a commit there is nothing of ours to delete.
// A branch that is not there is fine.
func (br Branches) delete(ctx context.Context, branch string, at promotion.SHA) error {
	if at == "" {
		return nil
	}
	return br.c.wrong(br.swap(ctx, branch, at, nowhere), "delete branch %s", branch)
}

// deleteOurs deletes a branch where we left it. One that another person has pushed to, or has made, is theirs. If
// GitHub refuses for now, or gives no access, the branch is still to be deleted.
func (br Branches) deleteOurs(ctx context.Context, branch string, at promotion.SHA) error {
	err := br.delete(ctx, branch, at)
	if errors.Is(err, ErrRefused) && !errors.Is(err, ErrNoAccess) && !errors.Is(err, ErrPassing) {
		return nil
	}
	return err
}

// create makes a branch that is not there yet.
func (br Branches) create(ctx context.Context, branch string, at promotion.SHA) error {
	_, _, err := br.c.rest.Git.CreateRef(ctx, br.c.owner, br.c.name, &github.Reference{
		Ref: github.String("refs/heads/" + branch), Object: &github.GitObject{SHA: github.String(string(at))},
	})
	return br.c.wrong(err, "make branch %s", branch)
}

// swap moves a branch if its head is the expected one: GraphQL compares and changes in one step, which REST cannot.
// After an error it looks: it is fine if the branch is where it should be, by this or another try.
func (br Branches) swap(ctx context.Context, branch string, from, to promotion.SHA) error {
	tried := br.updateRef(ctx, branch, from, to, true)
	if tried == nil {
		return nil
	}
	head, err := br.headOf(ctx, branch)
	if done, err := swapped(branch, head, from, to, err); done || err != nil {
		return err
	}
	return tried
}

// updateRef has GitHub move a branch from one commit to another, or from one to nowhere; unless it is forced only to
// one that follows.
func (br Branches) updateRef(ctx context.Context, branch string, from, to promotion.SHA, force bool) error {
	if err := br.c.graph.lacks(ctx, fieldNeeds["updateRefs"]); err != nil {
		return err
	}
	id, err := br.c.nodeID(ctx)
	if err != nil {
		return err
	}
	const document = `mutation Move($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`
	move := map[string]any{"name": "refs/heads/" + branch, "beforeOid": from, "afterOid": to, "force": force}
	input := map[string]any{"repositoryId": id, "refUpdates": []any{move}}
	return br.c.graph.ask(ctx, document, map[string]any{"input": input}, &struct{}{})
}

// swapped reports whether a branch is already where it should go, and an error if it is not where it should come from.
func swapped(branch string, head, from, to promotion.SHA, err error) (bool, error) {
	switch {
	case err != nil:
		return false, err
	case head == to:
		return true, nil
	case head == nowhere:
		return false, notFound("branch %s is gone", branch)
	case head != from:
		return false, refused("branch %s points to %s and not to %s", branch, head, from)
	}
	return false, nil
}

// headOf returns the head of a branch; empty if it does not exist.
func (br Branches) headOf(ctx context.Context, branch string) (promotion.SHA, error) {
	ref, _, err := br.c.rest.Git.GetRef(ctx, br.c.owner, br.c.name, "heads/"+branch)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return nowhere, nil
	}
	return promotion.SHA(ref.GetObject().GetSHA()), err
}

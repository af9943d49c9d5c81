package gh

import (
	"context"
	"errors"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// add hands a pull request that was seen to be open and unchanged to the merge queue of its base. One that is there
// already is fine. That GitHub's words say so is all that tells of a queue: no field does, and there need not be a rule
// that the App may see. The queue itself says whether that was understood.
func (mq MergeQueue) add(
	ctx context.Context, r MergeRequest, seen *github.PullRequest, pull promotion.Pull,
) (MergeOutcome, error) {
	const document = `mutation($id: ID!, $head: GitObjectID!) {
		enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { id } } }`
	var done struct{}
	err := mq.c.graph.ask(ctx, document, map[string]any{"id": seen.GetNodeID(), "head": r.Head}, &done)
	if err != nil && !errors.Is(err, ErrRefused) {
		return MergeOutcome{}, err
	}
	if err != nil {
		there, asking := mq.has(ctx, r.Pull)
		if asking != nil {
			return MergeOutcome{}, asking
		}
		if !there {
			return MergeOutcome{Result: NotAllowed, Pull: pull, Text: Explain(err).Detail}, nil
		}
	}
	pull.Queue = promotion.InQueue
	return MergeOutcome{Result: Enqueued, Pull: pull}, nil
}

// has reports whether a pull request is in a merge queue.
func (mq MergeQueue) has(ctx context.Context, number int) (bool, error) {
	const document = `query($owner: String!, $name: String!, $number: Int!) {
		repository(owner: $owner, name: $name) { pullRequest(number: $number) { isInMergeQueue } } }`
	var answer struct {
		Repository struct {
			PullRequest struct {
				IsInMergeQueue bool `json:"isInMergeQueue"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	variables := map[string]any{"owner": mq.c.owner, "name": mq.c.name, "number": number}
	err := mq.c.graph.ask(ctx, document, variables, &answer)
	return answer.Repository.PullRequest.IsInMergeQueue, mq.c.wrong(err, "ask whether #%d is in the merge queue", number)
}

// Remove takes a pull request out of the merge queue, and returns it as it is then: it may have been merged meanwhile,
// or not have been there at all.
func (mq MergeQueue) Remove(ctx context.Context, number int) (promotion.Pull, error) {
	const document = `mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }`
	seen, err := mq.c.Pulls.look(ctx, number)
	if err != nil {
		return promotion.Pull{}, err
	}
	if seen.GetState() == "open" {
		var done struct{}
		if err := mq.c.graph.ask(ctx, document, map[string]any{"id": seen.GetNodeID()}, &done); err != nil &&
			!errors.Is(err, ErrRefused) {
			return promotion.Pull{}, mq.c.wrong(err, "take #%d out of the merge queue", number)
		}
		there, err := mq.has(ctx, number)
		if err == nil && there {
			err = transient(0, "it is still there", nil)
		}
		if err != nil {
			return promotion.Pull{}, mq.c.wrong(err, "take #%d out of the merge queue", number)
		}
	}
	pull, err := mq.c.Pulls.Reread(ctx, number)
	pull.Queue = promotion.OutOfQueue
	return pull, err
}

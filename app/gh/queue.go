package gh

import (
	"context"
	"errors"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// enqueue hands a pull request that was seen to be open and unchanged to the merge queue of its base. One that is there
// already is fine. That GitHub's words say so is all that tells of a queue: no field does, and there need not be a rule
// that the App may see. The queue itself says whether that was understood.
func (c *Client) enqueue(
	ctx context.Context, r MergeRequest, seen *github.PullRequest, pull promotion.Pull,
) (MergeOutcome, error) {
	const document = `mutation($id: ID!, $head: GitObjectID!) {
		enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { id } } }`
	var done struct{}
	err := c.ask(ctx, document, map[string]any{"id": seen.GetNodeID(), "head": r.Head}, &done)
	if err != nil && !errors.Is(err, ErrRefused) {
		return MergeOutcome{}, err
	}
	if err != nil {
		there, asking := c.inQueue(ctx, r.Pull)
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

// inQueue reports whether a pull request is in a merge queue.
func (c *Client) inQueue(ctx context.Context, number int) (bool, error) {
	const document = `query($owner: String!, $name: String!, $number: Int!) {
		repository(owner: $owner, name: $name) { pullRequest(number: $number) { isInMergeQueue } } }`
	var answer struct {
		Repository struct {
			PullRequest struct {
				IsInMergeQueue bool `json:"isInMergeQueue"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	err := c.ask(ctx, document, map[string]any{"owner": c.owner, "name": c.name, "number": number}, &answer)
	return answer.Repository.PullRequest.IsInMergeQueue, c.wrong(err, "ask whether #%d is in the merge queue", number)
}

// Dequeue takes a pull request out of the merge queue, and returns it as it is then: it may have been merged meanwhile,
// or not have been there at all.
func (c *Client) Dequeue(ctx context.Context, number int) (promotion.Pull, error) {
	const document = `mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }`
	seen, err := c.look(ctx, number)
	if err != nil {
		return promotion.Pull{}, err
	}
	if seen.GetState() == "open" {
		var done struct{}
		if err := c.ask(ctx, document, map[string]any{"id": seen.GetNodeID()}, &done); err != nil &&
			!errors.Is(err, ErrRefused) {
			return promotion.Pull{}, c.wrong(err, "take #%d out of the merge queue", number)
		}
		there, err := c.inQueue(ctx, number)
		if err == nil && there {
			err = transient(0, "it is still there", nil)
		}
		if err != nil {
			return promotion.Pull{}, c.wrong(err, "take #%d out of the merge queue", number)
		}
	}
	pull, err := c.Pull(ctx, number)
	pull.Queue = promotion.OutOfQueue
	return pull, err
}

package gh

import "context"

// React puts a reaction on a comment: "eyes", "rocket", "+1" or "-1". One that is there already is fine.
func (c *Client) React(ctx context.Context, comment int64, reaction string) error {
	_, _, err := c.rest.Reactions.CreateIssueCommentReaction(ctx, c.owner, c.name, comment, reaction)
	return c.wrong(classify(err), "react to comment %d", comment)
}

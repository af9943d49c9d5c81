package gh

import "context"

// React puts a reaction on a comment: "eyes", "rocket", "+1" or "-1". One that is there already is fine.
func (co Comments) React(ctx context.Context, comment int64, reaction string) error {
	_, _, err := co.c.rest.Reactions.CreateIssueCommentReaction(ctx, co.c.owner, co.c.name, comment, reaction)
	return co.c.wrong(classify(err), "react to comment %d", comment)
}

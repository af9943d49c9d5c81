package githubsim

import (
	"slices"
	"time"
)

func commentRoutes(t *table) {
	t.with("issues:read|pull_requests:read", "GET /repos/{owner}/{repo}/issues/comments", listAllComments)
	t.with("issues:read|pull_requests:read", "GET /repos/{owner}/{repo}/issues/comments/{comment_id}", showComment)
	t.with("issues:write|pull_requests:write", "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", updateComment)
	t.with("issues:write|pull_requests:write", "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", removeComment)
	t.with("issues:read|pull_requests:read", "GET /repos/{owner}/{repo}/issues/{issue_number}/comments", listComments)
	t.with("issues:write|pull_requests:write", "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", createComment)
}

// since keeps the comments that changed at or after the time of the query.
func (c *call) since(comments []*comment) []*comment {
	from := c.bound("since")
	return slices.DeleteFunc(slices.Clone(comments), func(one *comment) bool { return from != (time.Time{}) && one.updated.Before(from) })
}

func listAllComments(c *call) (reply, error) {
	return list(c, c.since(c.repo.comments), func(one *comment) any { return c.Render.Comment(c.repo, one) }), nil
}

func listComments(c *call) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	return list(c, c.since(c.repo.commentsOf(i)), func(one *comment) any { return c.Render.Comment(c.repo, one) }), nil
}

func createComment(c *call) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	one, err := c.Tracker.Comment(c.repo, i, c.who.account, c.who.app, in.Body)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.Comment(c.repo, one)), nil
}

func (c *call) comment() (*comment, error) {
	id, err := c.id("comment_id")
	if err != nil {
		return nil, err
	}
	return c.repo.comment(id)
}

func showComment(c *call) (reply, error) {
	one, err := c.comment()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Comment(c.repo, one)), nil
}

func updateComment(c *call) (reply, error) {
	one, err := c.comment()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.Tracker.EditComment(c.repo, one, c.who.account, in.Body); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Comment(c.repo, one)), nil
}

func removeComment(c *call) (reply, error) {
	one, err := c.comment()
	if err != nil {
		return reply{}, err
	}
	c.Tracker.DeleteComment(c.repo, one, c.who.account)
	return nothing(), nil
}

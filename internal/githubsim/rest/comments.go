package rest

import (
	"slices"
	"time"

	"waybill/internal/githubsim/hub"
)

func commentRoutes(t *table) {
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues/comments", listAllComments)
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues/comments/{comment_id}", showComment)
	t.with("issues:write", "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", updateComment)
	t.with("issues:write", "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", removeComment)
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues/{issue_number}/comments", listComments)
	t.with("issues:write", "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", createComment)
}

// since returns the comments that changed at or after the time in the query.
func (c *call) since(comments []*hub.Comment) []*hub.Comment {
	from := c.bound("since")
	return slices.DeleteFunc(slices.Clone(comments),
		func(one *hub.Comment) bool { return from != (time.Time{}) && one.Updated.Before(from) })
}

func listAllComments(c *call) (reply, error) {
	return list(c, c.since(c.repo.Comments), func(one *hub.Comment) any { return c.Render.Comment(c.repo, one) }), nil
}

func listComments(c *call) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	return list(c, c.since(c.repo.CommentsOf(i)), func(one *hub.Comment) any { return c.Render.Comment(c.repo, one) }), nil
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
	if err := c.api.Limits.Create(c.who, "IssueComment"); err != nil {
		return reply{}, err
	}
	one, err := c.Tracker.Comment(c.repo, i, c.who.Account, c.who.App, in.Body)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.Comment(c.repo, one)), nil
}

func (c *call) comment() (*hub.Comment, error) {
	id, err := c.id("comment_id")
	if err != nil {
		return nil, err
	}
	return c.repo.Comment(id)
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
	if err := c.Tracker.EditComment(c.repo, one, c.who.Account, in.Body); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Comment(c.repo, one)), nil
}

func removeComment(c *call) (reply, error) {
	one, err := c.comment()
	if err != nil {
		return reply{}, err
	}
	c.Tracker.DeleteComment(c.repo, one, c.who.Account)
	return nothing(), nil
}

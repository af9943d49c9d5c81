package gh

import (
	"context"
	"errors"
	"strings"

	"github.com/google/go-github/v60/github"
)

// Comment is a comment of ours on an issue or a pull request.
type Comment struct {
	Issue  int
	ID     int64  // of one that is there already; 0 if it is not known
	Marker string // by which it is found again: a comment in HTML that nobody sees
	Body   string // without the marker, which is added
	// Fresh says that nobody can have written it before, so that there is no need to look for it.
	Fresh bool
}

// Comment writes a comment, once: if one of ours with the marker is there, that one is left as it is and its id returned.
func (c *Client) Comment(ctx context.Context, comment Comment) (int64, error) {
	id, err := c.findComment(ctx, comment)
	if err == nil && id == 0 {
		id, err = c.writeComment(ctx, comment)
	}
	return id, c.wrong(err, "comment on #%d", comment.Issue)
}

// SaveComment brings a comment to a state: it edits the one that is there, and writes it if there is none.
func (c *Client) SaveComment(ctx context.Context, comment Comment) (int64, error) {
	id, err := c.saveComment(ctx, comment)
	return id, c.wrong(err, "comment on #%d", comment.Issue)
}

func (c *Client) saveComment(ctx context.Context, comment Comment) (int64, error) {
	id := comment.ID
	if id == 0 && !comment.Fresh {
		found, err := c.findComment(ctx, comment)
		if err != nil {
			return 0, err
		}
		id = found
	}
	if id == 0 {
		return c.writeComment(ctx, comment)
	}
	_, _, err := c.rest.Issues.EditComment(ctx, c.owner, c.name, id, &github.IssueComment{Body: comment.text()})
	if err = classify(err); errors.Is(err, ErrNotFound) { // a person deleted it
		return c.writeComment(ctx, comment)
	}
	return id, err
}

func (c *Client) writeComment(ctx context.Context, comment Comment) (int64, error) {
	if err := c.installation.gate.create(); err != nil {
		return 0, err
	}
	made, _, err := c.rest.Issues.CreateComment(ctx, c.owner, c.name, comment.Issue, &github.IssueComment{Body: comment.text()})
	if err == nil && made.GetID() == 0 {
		return 0, incomplete("the comment that it made")
	}
	return made.GetID(), classify(err)
}

func (c Comment) text() *string { return github.String(marked(c.Body, c.Marker)) }

// findComment finds the comment of ours that has the marker; 0 if there is none. Anybody can write a marker, so only what
// our App wrote counts.
func (c *Client) findComment(ctx context.Context, comment Comment) (int64, error) {
	self, err := c.self(ctx)
	if err != nil || comment.Marker == "" {
		return 0, err
	}
	var id int64
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Issues.ListComments(ctx, c.owner, c.name, comment.Issue, &github.IssueListCommentsOptions{ListOptions: *page})
		for _, one := range some {
			if one.GetID() == 0 {
				return nil, incomplete("a comment")
			}
			if id == 0 && self.is(one.User) && strings.Contains(one.GetBody(), comment.Marker) {
				id = one.GetID()
				response.NextPage = 0
			}
		}
		return response, err
	})
	return id, err
}

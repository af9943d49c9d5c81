package hub

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Comment is a comment on an issue or pull request.
type Comment struct {
	ID        int64
	Issue     *Issue
	Author    *Account
	App       *App // the App that wrote it for the person, if any
	Body      string
	Created   time.Time
	Updated   time.Time
	Minimized string // reason, as GraphQL's classifier: outdated, resolved
	Reactions []*Reaction
}

// longestComment is the largest number of characters in a comment or description.
const longestComment = 65536

// Comment writes a comment on an issue or pull request.
func (t *Tracker) Comment(r *Repository, i *Issue, who *Account, through *App, body string) (*Comment, error) {
	if err := checkBody("IssueComment", body); err != nil {
		return nil, err
	}
	if i.Locked && (who.Kind != KindUser || LevelRank(r.Level(who)) < LevelRank("write")) {
		return nil, Refuse(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	c := &Comment{
		ID: t.clock.NextID(), Issue: i, Author: who, App: through, Body: body, Created: t.clock.Now(), Updated: t.clock.Now(),
	}
	r.Comments = append(r.Comments, c)
	i.Updated = c.Created
	t.events.OfRepo(r, "issue_comment", "created", who, c, nil)
	return c, nil
}

func checkBody(resource, body string) error {
	if strings.TrimSpace(body) == "" {
		return ValidationFailed(resource, "data", "unprocessable", "Body cannot be blank")
	}
	if len([]rune(body)) > longestComment {
		return ValidationFailed(resource, "data", "unprocessable", "Body is too long (maximum is 65536 characters)")
	}
	return nil
}

// EditComment changes a comment's text.
func (t *Tracker) EditComment(r *Repository, c *Comment, who *Account, body string) error {
	if err := checkBody("IssueComment", body); err != nil {
		return err
	}
	before := c.Body
	c.Body, c.Updated = body, t.clock.Now()
	t.events.OfRepo(r, "issue_comment", "edited", who, c, Fields{"changes": Fields{"body": Fields{"from": before}}})
	return nil
}

// DeleteComment deletes a comment.
func (t *Tracker) DeleteComment(r *Repository, c *Comment, who *Account) {
	r.Comments = slices.DeleteFunc(r.Comments, func(one *Comment) bool { return one == c })
	t.events.OfRepo(r, "issue_comment", "deleted", who, c, nil)
}

// CommentsOf lists the comments of an issue, oldest first.
func (b *Board) CommentsOf(i *Issue) []*Comment {
	var of []*Comment
	for _, c := range b.Comments {
		if c.Issue == i {
			of = append(of, c)
		}
	}
	return of
}

func (b *Board) Comment(id int64) (*Comment, error) {
	for _, c := range b.Comments {
		if c.ID == id {
			return c, nil
		}
	}
	return nil, NotFound()
}

// ReactionContents are the emoji that GitHub allows, in its order.
var ReactionContents = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

// React adds a reaction of an account to an issue or comment, once for each emoji.
func (t *Tracker) React(on *[]*Reaction, content string, who *Account) (one *Reaction, isNew bool) {
	for _, one := range *on {
		if one.Author == who && one.Content == content {
			return one, false
		}
	}
	one = &Reaction{ID: t.clock.NextID(), Author: who, Content: content, Created: t.clock.Now()}
	*on = append(*on, one)
	return one, true
}

// Minimize hides a comment for a reason; an empty reason shows it again.
func (t *Tracker) Minimize(c *Comment, reason string) { c.Minimized = reason }

package githubsim

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// comment is one on an issue or pull request.
type comment struct {
	id        int64
	issue     *issue
	author    *account
	app       *app // through which it was written, if any
	body      string
	created   time.Time
	updated   time.Time
	minimized string // reason, as GraphQL's classifier: outdated, resolved
	reactions []*reaction
}

// longestComment is the most characters GitHub takes in a comment or description.
const longestComment = 65536

// Comment writes a comment on an issue or pull request.
func (t *Tracker) Comment(r *repository, i *issue, who *account, through *app, body string) (*comment, error) {
	if err := checkBody("IssueComment", body); err != nil {
		return nil, err
	}
	if i.locked && levelRank(r.level(who)) < levelRank("write") && who.kind == kindUser {
		return nil, refuse(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	c := &comment{id: t.clock.NextID(), issue: i, author: who, app: through, body: body, created: t.clock.Now(), updated: t.clock.Now()}
	r.comments = append(r.comments, c)
	i.updated = c.created
	t.events.OfRepo(r, "issue_comment", "created", who, c, nil)
	return c, nil
}

func checkBody(resource, body string) error {
	if strings.TrimSpace(body) == "" {
		return validationFailed(resource, "data", "unprocessable", "Body cannot be blank")
	}
	if len([]rune(body)) > longestComment {
		return validationFailed(resource, "data", "unprocessable", "Body is too long (maximum is 65536 characters)")
	}
	return nil
}

// EditComment changes a comment's text.
func (t *Tracker) EditComment(r *repository, c *comment, who *account, body string) error {
	if err := checkBody("IssueComment", body); err != nil {
		return err
	}
	before := c.body
	c.body, c.updated = body, t.clock.Now()
	t.events.OfRepo(r, "issue_comment", "edited", who, c, Fields{"changes": Fields{"body": Fields{"from": before}}})
	return nil
}

// DeleteComment deletes a comment.
func (t *Tracker) DeleteComment(r *repository, c *comment, who *account) {
	r.comments = slices.DeleteFunc(r.comments, func(one *comment) bool { return one == c })
	t.events.OfRepo(r, "issue_comment", "deleted", who, c, nil)
}

// commentsOf lists the comments of an issue, oldest first.
func (b *Board) commentsOf(i *issue) []*comment {
	var of []*comment
	for _, c := range b.comments {
		if c.issue == i {
			of = append(of, c)
		}
	}
	return of
}

func (b *Board) comment(id int64) (*comment, error) {
	for _, c := range b.comments {
		if c.id == id {
			return c, nil
		}
	}
	return nil, notFound()
}

// reactionContents are the emoji that GitHub knows, in its order.
var reactionContents = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

// React adds a reaction of somebody to those on an issue or comment, once for each emoji.
func (t *Tracker) React(on *[]*reaction, content string, who *account) (one *reaction, isNew bool) {
	for _, one := range *on {
		if one.author == who && one.content == content {
			return one, false
		}
	}
	one = &reaction{id: t.clock.NextID(), author: who, content: content, created: t.clock.Now()}
	*on = append(*on, one)
	return one, true
}

// Minimize hides a comment for a reason; an empty one shows it again.
func (t *Tracker) Minimize(c *comment, reason string) { c.minimized = reason }

package githubsim

import (
	"net/http"
	"slices"
	"strings"
)

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
func (r *repository) commentsOf(i *issue) []*comment {
	var of []*comment
	for _, c := range r.comments {
		if c.issue == i {
			of = append(of, c)
		}
	}
	return of
}

func (r *repository) comment(id int64) (*comment, error) {
	for _, c := range r.comments {
		if c.id == id {
			return c, nil
		}
	}
	return nil, notFound()
}

func (v *Render) Comment(r *repository, c *comment) obj {
	self := v.API(r, "/issues/comments/"+itoa(c.id))
	var through any
	if c.app != nil {
		through = v.App(c.app)
	}
	kind := "/issues/"
	if c.issue.pull != nil {
		kind = "/pull/"
	}
	return obj{
		"id": c.id, "node_id": nodeID("IC", c.id), "url": self, "html_url": v.HTML(r, kind+itoa(int64(c.issue.number))+"#issuecomment-"+itoa(c.id)),
		"issue_url": v.API(r, "/issues/"+itoa(int64(c.issue.number))), "body": c.body, "user": v.Account(c.author),
		"created_at": stamp(c.created), "updated_at": stamp(c.updated), "author_association": r.association(c.author),
		"performed_via_github_app": through, "reactions": reactionsJSON(self, c.reactions),
	}
}

// reactionContents are the emoji that GitHub knows, in its order.
var reactionContents = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

func reactionsJSON(self string, reactions []*reaction) obj {
	j := obj{"url": self + "/reactions", "total_count": len(reactions)}
	for _, content := range reactionContents {
		count := 0
		for _, one := range reactions {
			if one.content == content {
				count++
			}
		}
		j[content] = count
	}
	return j
}

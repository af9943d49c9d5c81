package githubsim

import (
	"net/http"
	"slices"
	"strings"
)

// longestComment is the most characters GitHub takes in a comment or description.
const longestComment = 65536

// addComment writes a comment on an issue or pull request.
func (w *world) addComment(r *repository, i *issue, who *account, through *app, body string) (*comment, error) {
	if err := checkBody("IssueComment", body); err != nil {
		return nil, err
	}
	if i.locked && levelRank(w.level(r, who)) < levelRank("write") && who.kind == kindUser {
		return nil, refuse(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	c := &comment{id: w.nextID(), issue: i, author: who, app: through, body: body, created: w.now(), updated: w.now()}
	r.comments = append(r.comments, c)
	i.updated = c.created
	w.emitComment(r, c, "created", who, nil)
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

// editComment changes a comment's text.
func (w *world) editComment(r *repository, c *comment, who *account, body string) error {
	if err := checkBody("IssueComment", body); err != nil {
		return err
	}
	before := c.body
	c.body, c.updated = body, w.now()
	w.emitComment(r, c, "edited", who, obj{"changes": obj{"body": obj{"from": before}}})
	return nil
}

func (w *world) deleteComment(r *repository, c *comment, who *account) {
	r.comments = slices.DeleteFunc(r.comments, func(one *comment) bool { return one == c })
	w.emitComment(r, c, "deleted", who, nil)
}

func (w *world) emitComment(r *repository, c *comment, action string, who *account, extra obj) {
	issue := w.issueJSON(r, c.issue)
	delete(issue, "closed_by") // the event leaves it out
	payload := obj{"issue": issue, "comment": w.commentJSON(r, c)}
	for key, value := range extra {
		payload[key] = value
	}
	w.emitRepo(r, "issue_comment", action, who, payload)
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

func (w *world) commentJSON(r *repository, c *comment) obj {
	self := w.apiURL(r, "/issues/comments/"+itoa(c.id))
	var through any
	if c.app != nil {
		through = w.appJSON(c.app)
	}
	kind := "/issues/"
	if c.issue.pull != nil {
		kind = "/pull/"
	}
	return obj{
		"id": c.id, "node_id": nodeID("IC", c.id), "url": self, "html_url": w.htmlURL(r, kind+itoa(int64(c.issue.number))+"#issuecomment-"+itoa(c.id)),
		"issue_url": w.apiURL(r, "/issues/"+itoa(int64(c.issue.number))), "body": c.body, "user": w.accountJSON(c.author),
		"created_at": stamp(c.created), "updated_at": stamp(c.updated), "author_association": w.association(r, c.author),
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

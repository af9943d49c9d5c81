package githubsim

import (
	"sort"
	"time"
)

// issue is what issues and pull requests share; a pull request is an issue with a pull.
type issue struct {
	id        int64
	number    int
	title     string
	body      string
	author    *account
	open      bool
	locked    bool
	created   time.Time
	updated   time.Time
	closed    time.Time
	closedBy  *account
	labels    []*label
	assignees []*account
	reactions []*reaction
	pull      *pull
}

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

// reaction is an emoji on an issue or comment.
type reaction struct {
	id      int64
	author  *account
	content string
	created time.Time
}

// Tracker keeps issues, and what issues and pull requests share: numbers, comments and labels.
type Tracker struct {
	clock  *Clock
	events *Events
}

// Open gives out the next number of the repository, or a forced one that is free.
func (t *Tracker) Open(r *repository, number int, title, body string, author *account) (*issue, error) {
	if number == 0 {
		number = r.numbers + 1
	}
	if r.issues[number] != nil {
		return nil, invalid("number %d is taken", number)
	}
	now := t.clock.Now()
	i := &issue{id: t.clock.NextID(), number: number, title: title, body: body, author: author, open: true, created: now, updated: now}
	r.numbers = max(r.numbers, number)
	r.issues[number] = i
	return i, nil
}

// Close closes an issue.
func (t *Tracker) Close(i *issue, who *account) {
	i.open = false
	i.closed, i.updated, i.closedBy = t.clock.Now(), t.clock.Now(), who
}

// sortedIssues lists issues and pull requests, newest first as GitHub's lists do.
func (r *repository) sortedIssues() []*issue {
	all := make([]*issue, 0, len(r.issues))
	for _, i := range r.issues {
		all = append(all, i)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].number > all[b].number })
	return all
}

// openPulls lists the open pull requests, oldest first.
func (r *repository) openPulls() []*pull {
	var open []*pull
	for _, i := range r.issues {
		if i.open && i.pull != nil {
			open = append(open, i.pull)
		}
	}
	sort.Slice(open, func(a, b int) bool { return open[a].number < open[b].number })
	return open
}

func (i *issue) state() string {
	if i.open {
		return "open"
	}
	return "closed"
}

// association is how GitHub describes a person's relation to a repository.
func (r *repository) association(a *account) string {
	switch {
	case a == r.owner:
		return "OWNER"
	case r.owner.members[lower(a.login)]:
		return "MEMBER"
	case r.collaborators[lower(a.login)] != "":
		return "COLLABORATOR"
	}
	return "NONE"
}

// issueJSON renders GitHub's "issue", which a pull request is too.
func (v *Render) Issue(r *repository, i *issue) obj {
	self := v.API(r, "/issues/"+itoa(int64(i.number)))
	kind := "/issues/"
	j := obj{
		"id": i.id, "node_id": issueNode(i), "number": i.number, "title": i.title, "body": optional(i.body), "state": i.state(),
		"state_reason": nil, "locked": i.locked, "user": v.Account(i.author), "labels": v.labels(r, i.labels), "milestone": nil,
		"assignee": v.firstAssignee(i), "assignees": renderAll(i.assignees, func(a *account) any { return v.Account(a) }),
		"comments": len(r.commentsOf(i)), "created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stamp(i.closed),
		"closed_by": v.Account(i.closedBy), "author_association": r.association(i.author), "url": self, "repository_url": v.API(r, ""),
		"comments_url": self + "/comments", "events_url": self + "/events", "labels_url": self + "/labels{/name}",
		"reactions": reactionsJSON(self, i.reactions), "active_lock_reason": nil, "performed_via_github_app": nil,
	}
	if i.pull != nil {
		kind = "/pull/"
		pulls := v.API(r, "/pulls/"+itoa(int64(i.number)))
		html := v.HTML(r, "/pull/"+itoa(int64(i.number)))
		j["pull_request"] = obj{"url": pulls, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "merged_at": stamp(i.pull.mergedAt)}
		j["draft"] = i.pull.draft
	}
	j["html_url"] = v.HTML(r, kind+itoa(int64(i.number)))
	return j
}

// issueNode is the GraphQL id of an issue or pull request.
func issueNode(i *issue) string {
	if i.pull != nil {
		return nodeID("PR", i.id)
	}
	return nodeID("I", i.id)
}

func (v *Render) firstAssignee(i *issue) any {
	if len(i.assignees) == 0 {
		return nil
	}
	return v.Account(i.assignees[0])
}

package githubsim

import "strconv"

// issueJSON renders GitHub's "issue", which a pull request is too.
func (v *Render) Issue(r *repository, i *issue) obj {
	self := v.API(r, "/issues/"+strconv.Itoa(i.number))
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
		pulls := v.API(r, "/pulls/"+strconv.Itoa(i.number))
		html := v.HTML(r, "/pull/"+strconv.Itoa(i.number))
		j["pull_request"] = obj{"url": pulls, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "merged_at": stamp(i.pull.mergedAt)}
		j["draft"] = i.pull.draft
	}
	j["html_url"] = v.HTML(r, kind+strconv.Itoa(i.number))
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

func (v *Render) Comment(r *repository, c *comment) obj {
	self := v.API(r, "/issues/comments/"+strconv.FormatInt(c.id, 10))
	var through any
	if c.app != nil {
		through = v.App(c.app)
	}
	kind := "/issues/"
	if c.issue.pull != nil {
		kind = "/pull/"
	}
	return obj{
		"id": c.id, "node_id": nodeID("IC", c.id), "url": self, "html_url": v.HTML(r, kind+strconv.Itoa(c.issue.number)+"#issuecomment-"+strconv.FormatInt(c.id, 10)),
		"issue_url": v.API(r, "/issues/"+strconv.Itoa(c.issue.number)), "body": c.body, "user": v.Account(c.author),
		"created_at": stamp(c.created), "updated_at": stamp(c.updated), "author_association": r.association(c.author),
		"performed_via_github_app": through, "reactions": reactionsJSON(self, c.reactions),
	}
}

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

func (v *Render) Reaction(one *reaction) any {
	return obj{
		"id": one.id, "node_id": nodeID("REA", one.id), "user": v.Account(one.author), "content": one.content, "created_at": stamp(one.created),
	}
}

func (v *Render) Label(r *repository, l *label) obj {
	return obj{
		"id": l.id, "node_id": nodeID("LA", l.id), "url": v.API(r, "/labels/"+l.name), "name": l.name, "color": l.color,
		"description": l.description, "default": false,
	}
}

func (v *Render) labels(r *repository, labels []*label) []any {
	return renderAll(labels, func(l *label) any { return v.Label(r, l) })
}

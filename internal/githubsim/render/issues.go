package render

import "waybill/internal/githubsim/hub"

import "strconv"

// Issue renders GitHub's "issue", also for a pull request.
func (v *Renderer) Issue(r *hub.Repository, i *hub.Issue) obj {
	self := v.API(r, "/issues/"+strconv.Itoa(i.Number))
	kind := "/issues/"
	j := obj{
		"id": i.ID, "node_id": issueNode(i), "number": i.Number, "title": i.Title, "body": Optional(i.Body),
		"state":        i.State(),
		"state_reason": nil, "locked": i.Locked, "user": v.Account(i.Author), "labels": v.labels(r, i.Labels),
		"milestone": nil,
		"assignee":  v.firstAssignee(i), "assignees": List(i.Assignees, func(a *hub.Account) any { return v.Account(a) }),
		"comments": len(r.CommentsOf(i)), "created_at": Stamp(i.Created), "updated_at": Stamp(i.Updated),
		"closed_at": Stamp(i.Closed),
		"closed_by": v.Account(i.ClosedBy), "author_association": r.Association(i.Author), "url": self,
		"repository_url": v.API(r, ""),
		"comments_url":   self + "/comments", "events_url": self + "/events", "labels_url": self + "/labels{/name}",
		"reactions": reactionsJSON(self, i.Reactions), "active_lock_reason": nil, "performed_via_github_app": nil,
	}
	if i.Pull != nil {
		kind = "/pull/"
		pulls := v.API(r, "/pulls/"+strconv.Itoa(i.Number))
		html := v.HTML(r, "/pull/"+strconv.Itoa(i.Number))
		j["pull_request"] = obj{
			"url": pulls, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
			"merged_at": Stamp(i.Pull.MergedAt),
		}
		j["draft"] = i.Pull.Draft
	}
	j["html_url"] = v.HTML(r, kind+strconv.Itoa(i.Number))
	return j
}

// issueNode returns the GraphQL id of an issue or pull request.
func issueNode(i *hub.Issue) string {
	if i.Pull != nil {
		return NodeID("PR", i.ID)
	}
	return NodeID("I", i.ID)
}

func (v *Renderer) firstAssignee(i *hub.Issue) any {
	if len(i.Assignees) == 0 {
		return nil
	}
	return v.Account(i.Assignees[0])
}

// Comment renders a comment on an issue or pull request.
func (v *Renderer) Comment(r *hub.Repository, c *hub.Comment) obj {
	self := v.API(r, "/issues/comments/"+strconv.FormatInt(c.ID, 10))
	var through any
	if c.App != nil {
		through = v.App(c.App)
	}
	kind := "/issues/"
	if c.Issue.Pull != nil {
		kind = "/pull/"
	}
	return obj{
		"id": c.ID, "node_id": NodeID("IC", c.ID), "url": self,
		"html_url":  v.HTML(r, kind+strconv.Itoa(c.Issue.Number)+"#issuecomment-"+strconv.FormatInt(c.ID, 10)),
		"issue_url": v.API(r, "/issues/"+strconv.Itoa(c.Issue.Number)), "body": c.Body, "user": v.Account(c.Author),
		"created_at": Stamp(c.Created), "updated_at": Stamp(c.Updated), "author_association": r.Association(c.Author),
		"performed_via_github_app": through, "reactions": reactionsJSON(self, c.Reactions),
	}
}

func reactionsJSON(self string, reactions []*hub.Reaction) obj {
	j := obj{"url": self + "/reactions", "total_count": len(reactions)}
	for _, content := range hub.ReactionContents {
		count := 0
		for _, one := range reactions {
			if one.Content == content {
				count++
			}
		}
		j[content] = count
	}
	return j
}

// Reaction renders a reaction.
func (v *Renderer) Reaction(one *hub.Reaction) any {
	return obj{
		"id": one.ID, "node_id": NodeID("REA", one.ID), "user": v.Account(one.Author), "content": one.Content,
		"created_at": Stamp(one.Created),
	}
}

// Label renders a label.
func (v *Renderer) Label(r *hub.Repository, l *hub.Label) obj {
	return obj{
		"id": l.ID, "node_id": NodeID("LA", l.ID), "url": v.API(r, "/labels/"+l.Name), "name": l.Name, "color": l.Color,
		"description": l.Description, "default": false,
	}
}

func (v *Renderer) labels(r *hub.Repository, labels []*hub.Label) []any {
	return List(labels, func(l *hub.Label) any { return v.Label(r, l) })
}

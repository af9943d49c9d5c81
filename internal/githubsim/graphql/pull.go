package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/graph"
)

func (g *objects) pull(r *hub.Repository, p *hub.Pull) *graph.Object {
	v := graph.Value
	head, updated := g.Lag.Head(p)
	fields := g.issueFields(r, p.Issue)
	more := graph.Fields{
		"id": v(render.NodeID("PR", p.ID)), "state": v(p.GraphState()), "merged": v(p.Merged),
		"mergedAt": v(render.Stamp(p.MergedAt)), "isDraft": v(p.Draft), "updatedAt": v(render.Stamp(updated)),
		"url":         v(g.Render.HTML(r, "/pull/"+strconv.Itoa(p.Number))),
		"headRefName": v(p.HeadRef), "headRefOid": v(head), "baseRefName": v(p.BaseRef), "baseRefOid": v(p.BaseSHA),
		"headRef":     func(graph.Args) (any, error) { return g.headRef(p), nil },
		"baseRef":     func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+p.BaseRef), nil },
		"mergedBy":    func(graph.Args) (any, error) { return g.actor(p.MergedBy), nil },
		"mergeCommit": func(graph.Args) (any, error) { return g.mergeCommitOf(r, p, p.Merged), nil },
		"potentialMergeCommit": func(graph.Args) (any, error) {
			return g.mergeCommitOf(r, p, p.Open && p.Looked && r.TestIsCurrent(p)), nil
		},
		"mergeable":         func(graph.Args) (any, error) { return g.mergeable(r, p) },
		"mergeStateStatus":  func(graph.Args) (any, error) { return g.mergeStateStatus(r, p) },
		"reviewDecision":    func(graph.Args) (any, error) { return g.reviewDecision(r, p), nil },
		"headRepository":    func(graph.Args) (any, error) { return g.headRepository(p), nil },
		"baseRepository":    func(graph.Args) (any, error) { return g.repository(r), nil },
		"isCrossRepository": v(p.From != r), "isInMergeQueue": v(r.EntryOf(p) != nil),
		"isMergeQueueEnabled": v(r.Protections[p.BaseRef].MergeQueue),
		"mergeQueueEntry":     func(graph.Args) (any, error) { return g.queueEntry(r, r.EntryOf(p)), nil },
		"commits": func(args graph.Args) (any, error) {
			return graph.Connection("PullRequestCommit", args, r.HeadCommits(p), func(c gitstore.Commit) *graph.Object {
				return &graph.Object{Type: "PullRequestCommit", Is: []string{"Node"}, Fields: graph.Fields{
					"id":     v(render.NodeID("PRC", p.ID) + ":" + c.SHA),
					"commit": func(graph.Args) (any, error) { return g.commit(r, c.SHA), nil },
				}}
			})
		},
		"files": func(args graph.Args) (any, error) {
			changes, err := r.Changes(p)
			if err != nil {
				return nil, err
			}
			return graph.Connection("PullRequestChangedFile", args, changes, changedFile)
		},
		"changedFiles": func(graph.Args) (any, error) {
			changes, err := r.Changes(p)
			return len(changes), err
		},
		"reviews": func(args graph.Args) (any, error) {
			states := args.Texts("states")
			chosen := slices.DeleteFunc(slices.Clone(p.Reviews),
				func(one *hub.Review) bool { return len(states) > 0 && !slices.Contains(states, one.State) })
			return graph.Connection("PullRequestReview", args, chosen, g.review)
		},
		"autoMergeRequest": func(graph.Args) (any, error) { return g.autoMergeRequest(p.AutoMerge), nil },
	}
	for name, resolve := range more {
		fields[name] = resolve
	}
	return &graph.Object{Type: "PullRequest", Is: []string{
		"Node", "Comment", "Closable", "Labelable", "Assignable", "UniformResourceLocatable", "IssueOrPullRequest",
	}, Fields: fields}
}

// headRef and headRepository are null after a fork was deleted.
func (g *objects) headRef(p *hub.Pull) *graph.Object {
	if p.From == nil {
		return nil
	}
	return g.ref(p.From, "refs/heads/"+p.HeadRef)
}

func (g *objects) headRepository(p *hub.Pull) *graph.Object {
	if p.From == nil {
		return nil
	}
	return g.repository(p.From)
}

// issueFields are the fields that issues and pull requests share.
func (g *objects) issueFields(r *hub.Repository, i *hub.Issue) graph.Fields {
	v := graph.Value
	return graph.Fields{
		"id": v(render.NodeID("I", i.ID)), "databaseId": v(i.ID), "fullDatabaseId": v(strconv.FormatInt(i.ID, 10)),
		"number": v(i.Number), "title": v(i.Title), "body": v(i.Body),
		"state": v(strings.ToUpper(i.State())), "closed": v(!i.Open), "closedAt": v(render.Stamp(i.Closed)),
		"createdAt": v(render.Stamp(i.Created)),
		"updatedAt": v(render.Stamp(i.Updated)), "locked": v(i.Locked),
		"url":               v(g.Render.HTML(r, "/issues/"+strconv.Itoa(i.Number))),
		"authorAssociation": v(r.Association(i.Author)),
		"author":            func(graph.Args) (any, error) { return g.actor(i.Author), nil },
		"repository":        func(graph.Args) (any, error) { return g.repository(r), nil },
		"labels": func(args graph.Args) (any, error) {
			return graph.Connection("Label", args, i.Labels, func(l *hub.Label) *graph.Object { return g.label(r, l) })
		},
		"comments": func(args graph.Args) (any, error) {
			return graph.Connection("IssueComment", args, r.CommentsOf(i),
				func(c *hub.Comment) *graph.Object { return g.comment(r, c) })
		},
	}
}

func (g *objects) comment(r *hub.Repository, c *hub.Comment) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "IssueComment", Is: []string{"Node", "Comment", "Minimizable"}, Fields: graph.Fields{
		"id": v(render.NodeID("IC", c.ID)), "databaseId": v(c.ID), "fullDatabaseId": v(strconv.FormatInt(c.ID, 10)),
		"body": v(c.Body), "createdAt": v(render.Stamp(c.Created)),
		"updatedAt": v(render.Stamp(c.Updated)), "isMinimized": v(c.Minimized != ""),
		"minimizedReason": v(render.Optional(c.Minimized)),
		"url":             v(g.Render.Comment(r, c)["html_url"]),
		"author":          func(graph.Args) (any, error) { return g.actor(c.Author), nil },
	}}
}

func (g *objects) review(one *hub.Review) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "PullRequestReview", Is: []string{"Node", "Comment"}, Fields: graph.Fields{
		"id": v(render.NodeID("PRR", one.ID)), "databaseId": v(one.ID), "state": v(one.State), "body": v(one.Body),
		"submittedAt": v(render.Stamp(one.Submitted)),
		"author":      func(graph.Args) (any, error) { return g.actor(one.Author), nil },
	}}
}

func changedFile(change gitstore.FileChange) *graph.Object {
	kinds := map[string]string{"added": "ADDED", "removed": "DELETED", "renamed": "RENAMED", "modified": "MODIFIED"}
	return &graph.Object{Type: "PullRequestChangedFile", Fields: graph.Fields{
		"path": graph.Value(change.Path), "additions": graph.Value(change.Additions),
		"deletions":  graph.Value(change.Deletions),
		"changeType": graph.Value(kinds[change.Status]),
	}}
}

func (g *objects) mergeCommitOf(r *hub.Repository, p *hub.Pull, shown bool) *graph.Object {
	if !shown || p.MergeSHA == "" {
		return nil
	}
	return g.commit(r, p.MergeSHA)
}

// mergeable returns UNKNOWN for the first request, as in REST.
func (g *objects) mergeable(r *hub.Repository, p *hub.Pull) (any, error) {
	known, err := g.Pulls.Look(r, p)
	switch {
	case err != nil || !known:
		return "UNKNOWN", err
	case len(p.Conflicts) > 0:
		return "CONFLICTING", nil
	}
	return "MERGEABLE", nil
}

func (g *objects) mergeStateStatus(r *hub.Repository, p *hub.Pull) (any, error) {
	known, err := g.Pulls.Look(r, p)
	if err != nil || !known {
		return "UNKNOWN", err
	}
	return strings.ToUpper(r.MergeableState(p)), nil
}

// reviewDecision returns null if no review is required.
func (g *objects) reviewDecision(r *hub.Repository, p *hub.Pull) any {
	required := r.Protections[p.BaseRef].RequiredReviews
	switch {
	case required == 0:
		return nil
	case p.ChangesRequested():
		return "CHANGES_REQUESTED"
	case p.Approvals() >= required:
		return "APPROVED"
	}
	return "REVIEW_REQUIRED"
}

func (g *objects) autoMergeRequest(a *hub.AutoMerge) *graph.Object {
	if a == nil {
		return nil
	}
	return &graph.Object{Type: "AutoMergeRequest", Fields: graph.Fields{
		"enabledAt": graph.Value(render.Stamp(a.Since)), "mergeMethod": graph.Value(enum(a.Method)),
		"enabledBy": func(graph.Args) (any, error) { return g.actor(a.By), nil },
	}}
}

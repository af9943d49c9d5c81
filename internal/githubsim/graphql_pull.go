package githubsim

import (
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/graph"
)

func (g *resolver) pull(r *repository, p *pull) *graph.Object {
	v := graph.Value
	fields := g.issueFields(r, p.issue)
	more := graph.Fields{
		"id": v(nodeID("PR", p.id)), "state": v(p.graphState()), "merged": v(p.merged), "mergedAt": v(stamp(p.mergedAt)), "isDraft": v(p.draft),
		"url":         v(g.Render.HTML(r, "/pull/"+strconv.Itoa(p.number))),
		"headRefName": v(p.headRef), "headRefOid": v(p.headSHA), "baseRefName": v(p.baseRef), "baseRefOid": v(p.baseSHA),
		"headRef":     func(graph.Args) (any, error) { return g.headRef(p), nil },
		"baseRef":     func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+p.baseRef), nil },
		"mergedBy":    func(graph.Args) (any, error) { return g.actor(p.mergedBy), nil },
		"mergeCommit": func(graph.Args) (any, error) { return g.mergeCommitOf(r, p, p.merged), nil },
		"potentialMergeCommit": func(graph.Args) (any, error) {
			return g.mergeCommitOf(r, p, p.open && p.looked && r.testIsCurrent(p)), nil
		},
		"mergeable":         func(graph.Args) (any, error) { return g.mergeable(r, p) },
		"mergeStateStatus":  func(graph.Args) (any, error) { return g.mergeStateStatus(r, p) },
		"reviewDecision":    func(graph.Args) (any, error) { return g.reviewDecision(r, p), nil },
		"headRepository":    func(graph.Args) (any, error) { return g.headRepository(p), nil },
		"baseRepository":    func(graph.Args) (any, error) { return g.repository(r), nil },
		"isCrossRepository": v(p.from != r), "isInMergeQueue": v(r.entryOf(p) != nil),
		"isMergeQueueEnabled": v(r.protections[p.baseRef].MergeQueue),
		"mergeQueueEntry":     func(graph.Args) (any, error) { return g.queueEntry(r, r.entryOf(p)), nil },
		"commits": func(args graph.Args) (any, error) {
			return graph.Connection("PullRequestCommit", args, r.headCommits(p), func(c gitstore.Commit) *graph.Object {
				return &graph.Object{Type: "PullRequestCommit", Is: []string{"Node"}, Fields: graph.Fields{
					"id": v(nodeID("PRC", p.id) + ":" + c.SHA), "commit": func(graph.Args) (any, error) { return g.commit(r, c.SHA), nil },
				}}
			})
		},
		"files": func(args graph.Args) (any, error) {
			changes, err := r.changes(p)
			if err != nil {
				return nil, err
			}
			return graph.Connection("PullRequestChangedFile", args, changes, changedFile)
		},
		"changedFiles": func(graph.Args) (any, error) {
			changes, err := r.changes(p)
			return len(changes), err
		},
		"reviews": func(args graph.Args) (any, error) {
			states := args.Texts("states")
			chosen := slices.DeleteFunc(slices.Clone(p.reviews), func(one *review) bool { return len(states) > 0 && !slices.Contains(states, one.state) })
			return graph.Connection("PullRequestReview", args, chosen, g.review)
		},
		"autoMergeRequest": func(graph.Args) (any, error) { return g.autoMergeRequest(p.autoMerge), nil },
	}
	for name, resolve := range more {
		fields[name] = resolve
	}
	return &graph.Object{Type: "PullRequest", Is: []string{"Node", "Comment", "Closable", "Labelable", "Assignable", "UniformResourceLocatable", "IssueOrPullRequest"}, Fields: fields}
}

// headRef and headRepository are null once a fork is deleted.
func (g *resolver) headRef(p *pull) *graph.Object {
	if p.from == nil {
		return nil
	}
	return g.ref(p.from, "refs/heads/"+p.headRef)
}

func (g *resolver) headRepository(p *pull) *graph.Object {
	if p.from == nil {
		return nil
	}
	return g.repository(p.from)
}

// issueFields are what issues and pull requests share.
func (g *resolver) issueFields(r *repository, i *issue) graph.Fields {
	v := graph.Value
	return graph.Fields{
		"id": v(nodeID("I", i.id)), "databaseId": v(i.id), "fullDatabaseId": v(strconv.FormatInt(i.id, 10)), "number": v(i.number), "title": v(i.title), "body": v(i.body),
		"state": v(strings.ToUpper(i.state())), "closed": v(!i.open), "closedAt": v(stamp(i.closed)), "createdAt": v(stamp(i.created)),
		"updatedAt": v(stamp(i.updated)), "locked": v(i.locked), "url": v(g.Render.HTML(r, "/issues/"+strconv.Itoa(i.number))),
		"authorAssociation": v(r.association(i.author)),
		"author":            func(graph.Args) (any, error) { return g.actor(i.author), nil },
		"repository":        func(graph.Args) (any, error) { return g.repository(r), nil },
		"labels": func(args graph.Args) (any, error) {
			return graph.Connection("Label", args, i.labels, func(l *label) *graph.Object { return g.label(r, l) })
		},
		"comments": func(args graph.Args) (any, error) {
			return graph.Connection("IssueComment", args, r.commentsOf(i), func(c *comment) *graph.Object { return g.comment(r, c) })
		},
	}
}

func (g *resolver) comment(r *repository, c *comment) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "IssueComment", Is: []string{"Node", "Comment", "Minimizable"}, Fields: graph.Fields{
		"id": v(nodeID("IC", c.id)), "databaseId": v(c.id), "fullDatabaseId": v(strconv.FormatInt(c.id, 10)), "body": v(c.body), "createdAt": v(stamp(c.created)),
		"updatedAt": v(stamp(c.updated)), "isMinimized": v(c.minimized != ""), "minimizedReason": v(optional(c.minimized)),
		"url":    v(g.Render.Comment(r, c)["html_url"]),
		"author": func(graph.Args) (any, error) { return g.actor(c.author), nil },
	}}
}

func (g *resolver) review(one *review) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "PullRequestReview", Is: []string{"Node", "Comment"}, Fields: graph.Fields{
		"id": v(nodeID("PRR", one.id)), "databaseId": v(one.id), "state": v(one.state), "body": v(one.body), "submittedAt": v(stamp(one.submitted)),
		"author": func(graph.Args) (any, error) { return g.actor(one.author), nil },
	}}
}

func changedFile(change gitstore.FileChange) *graph.Object {
	kinds := map[string]string{"added": "ADDED", "removed": "DELETED", "renamed": "RENAMED", "modified": "MODIFIED"}
	return &graph.Object{Type: "PullRequestChangedFile", Fields: graph.Fields{
		"path": graph.Value(change.Path), "additions": graph.Value(change.Additions), "deletions": graph.Value(change.Deletions),
		"changeType": graph.Value(kinds[change.Status]),
	}}
}

func (g *resolver) mergeCommitOf(r *repository, p *pull, shown bool) *graph.Object {
	if !shown || p.mergeSHA == "" {
		return nil
	}
	return g.commit(r, p.mergeSHA)
}

// mergeable is UNKNOWN to the first one who asks, as in REST.
func (g *resolver) mergeable(r *repository, p *pull) (any, error) {
	known, err := g.Pulls.Look(r, p)
	switch {
	case err != nil || !known:
		return "UNKNOWN", err
	case len(p.conflicts) > 0:
		return "CONFLICTING", nil
	}
	return "MERGEABLE", nil
}

func (g *resolver) mergeStateStatus(r *repository, p *pull) (any, error) {
	known, err := g.Pulls.Look(r, p)
	if err != nil || !known {
		return "UNKNOWN", err
	}
	return strings.ToUpper(r.mergeableState(p)), nil
}

// reviewDecision is null where no review is required.
func (g *resolver) reviewDecision(r *repository, p *pull) any {
	required := r.protections[p.baseRef].RequiredReviews
	switch {
	case required == 0:
		return nil
	case p.changesRequested():
		return "CHANGES_REQUESTED"
	case p.approvals() >= required:
		return "APPROVED"
	}
	return "REVIEW_REQUIRED"
}

func (g *resolver) autoMergeRequest(a *autoMerge) *graph.Object {
	if a == nil {
		return nil
	}
	return &graph.Object{Type: "AutoMergeRequest", Fields: graph.Fields{
		"enabledAt": graph.Value(stamp(a.since)), "mergeMethod": graph.Value(enum(a.method)),
		"enabledBy": func(graph.Args) (any, error) { return g.actor(a.by), nil },
	}}
}

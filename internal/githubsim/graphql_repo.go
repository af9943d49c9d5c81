package githubsim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/graph"
)

func (g *resolver) repository(r *repository) *graph.Object {
	v := graph.Value
	fields := graph.Fields{
		"id": v(nodeID("R", r.id)), "databaseId": v(r.id), "name": v(r.name), "nameWithOwner": v(r.fullName()), "url": v(g.Render.HTML(r, "")),
		"owner":     func(graph.Args) (any, error) { return g.actor(r.owner), nil },
		"isPrivate": v(r.private), "isArchived": v(r.archived), "isFork": v(false), "isEmpty": v(false), "isDisabled": v(false),
		"visibility": v(strings.ToUpper(r.visibility())), "pushedAt": v(stamp(r.pushed)), "createdAt": v(stamp(r.created)),
		"mergeCommitAllowed": v(!r.settings.NoMergeCommit), "squashMergeAllowed": v(!r.settings.NoSquash),
		"rebaseMergeAllowed": v(!r.settings.NoRebase), "autoMergeAllowed": v(r.settings.AutoMerge),
		"deleteBranchOnMerge": v(r.settings.DeleteBranchOnMerge),
		"defaultBranchRef":    func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+r.git.DefaultBranch()), nil },
		"ref": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return g.ref(r, qualified(r, args.Text("qualifiedName"))), nil
		}),
		"refs": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			names := slices.DeleteFunc(r.git.Refs(args.Text("refPrefix")), func(name string) bool { return !strings.Contains(name, args.Text("query")) })
			orderRefs(r, names, args.Object("orderBy"))
			return graph.Connection("Ref", args, names, func(name string) *graph.Object { return g.ref(r, name) })
		}),
		"object": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return g.object(r, args.Text("expression"), args.Text("oid")), nil
		}),
		"pullRequest": g.guarded(r, "pull_requests:read", func(args graph.Args) (any, error) {
			p, err := r.findPull(args.Int("number", 0))
			if err != nil {
				return nil, &graph.Error{Type: "NOT_FOUND", Message: "Could not resolve to a PullRequest with the number of " + strconv.Itoa(args.Int("number", 0)) + "."}
			}
			return g.pull(r, p), nil
		}),
		"pullRequests": g.guarded(r, "pull_requests:read", func(args graph.Args) (any, error) {
			return graph.Connection("PullRequest", args, chosenPulls(r, args), func(p *pull) *graph.Object { return g.pull(r, p) })
		}),
		"label": func(args graph.Args) (any, error) {
			if l, found := r.label(args.Text("name")); found {
				return g.label(r, l), nil
			}
			return nil, nil
		},
		"labels": func(args graph.Args) (any, error) {
			return graph.Connection("Label", args, r.labels, func(l *label) *graph.Object { return g.label(r, l) })
		},
		"deployments": g.guarded(r, "deployments:read", func(args graph.Args) (any, error) { return g.deployments(r, args, "") }),
		"releases": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return graph.Connection("Release", args, orderedReleases(r, args.Object("orderBy")), func(one *release) *graph.Object { return g.release(r, one) })
		}),
		"release": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			for _, one := range slices.Backward(r.releases) {
				if one.tag == args.Text("tagName") {
					return g.release(r, one), nil
				}
			}
			return nil, nil
		}),
		"mergeQueue": func(args graph.Args) (any, error) {
			return g.mergeQueue(r, strings.TrimPrefix(cmp.Or(args.Text("branch"), r.git.DefaultBranch()), "refs/heads/")), nil
		},
		"viewerPermission": func(graph.Args) (any, error) { return g.viewerPermission(r), nil },
	}
	return &graph.Object{Type: "Repository", Is: []string{"Node", "UniformResourceLocatable"}, Fields: fields}
}

// viewerPermission is a person's level; an App has none, it is told what its permission on contents comes to.
func (g *resolver) viewerPermission(r *repository) string {
	switch {
	case g.who.kind == asUser:
		return strings.ToUpper(r.level(g.who.account))
	case may(g.who.grant.permissions, "contents", "write"):
		return "WRITE"
	}
	return "READ"
}

// qualified completes a branch name to a reference, as GitHub does.
func qualified(r *repository, name string) string {
	for _, full := range []string{name, "refs/heads/" + name, "refs/tags/" + name} {
		if _, found := r.git.Ref(full); found {
			return full
		}
	}
	return name
}

// chosenPulls applies the arguments of pullRequests.
func chosenPulls(r *repository, args graph.Args) []*pull {
	var chosen []*pull
	for _, i := range slices.Backward(r.sortedIssues()) {
		if i.pull != nil && wantedPull(i.pull, args) {
			chosen = append(chosen, i.pull)
		}
	}
	order := args.Object("orderBy")
	if order.Text("field") == "UPDATED_AT" {
		slices.SortStableFunc(chosen, func(a, b *pull) int { return a.updated.Compare(b.updated) })
	}
	if order.Text("direction") == "DESC" {
		slices.Reverse(chosen)
	}
	return chosen
}

func wantedPull(p *pull, args graph.Args) bool {
	if states := args.Texts("states"); len(states) > 0 && !slices.Contains(states, p.graphState()) {
		return false
	}
	if base := args.Text("baseRefName"); base != "" && base != p.baseRef {
		return false
	}
	if head := args.Text("headRefName"); head != "" && head != p.headRef {
		return false
	}
	labels := args.Texts("labels")
	return len(labels) == 0 || slices.ContainsFunc(labels, func(name string) bool { return p.hasAll([]string{name}) })
}

func (g *resolver) label(r *repository, l *label) *graph.Object {
	return &graph.Object{Type: "Label", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("LA", l.id)), "name": graph.Value(l.name), "color": graph.Value(l.color), "description": graph.Value(optional(l.description)),
		"url": graph.Value(g.Render.HTML(r, "/labels/"+l.name)),
	}}
}

func (g *resolver) release(r *repository, one *release) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "Release", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(nodeID("RE", one.id)), "databaseId": v(one.id), "name": v(optional(one.name)), "tagName": v(one.tag), "isDraft": v(one.draft),
		"isPrerelease": v(one.prerelease), "createdAt": v(stamp(one.created)), "publishedAt": v(stamp(one.published)),
		"description": v(optional(one.body)), "url": v(g.Render.HTML(r, "/releases/tag/"+one.tag)),
		"author": func(graph.Args) (any, error) {
			if one.author.kind != kindUser { // GitHub's schema has no room for an App there
				return nil, nil
			}
			return g.actor(one.author), nil
		},
		"tagCommit": func(graph.Args) (any, error) {
			if sha, found := r.git.Ref("refs/tags/" + one.tag); found {
				return g.commit(r, sha), nil
			}
			return nil, nil
		},
	}}
}

// orderedReleases applies the order that is asked for: as they were made, or backwards.
func orderedReleases(r *repository, order graph.Args) []*release {
	ordered := slices.Clone(r.releases)
	if order.Text("direction") == "DESC" {
		slices.Reverse(ordered)
	}
	return ordered
}

// orderRefs orders references by the dates of their commits, if that is asked for.
func orderRefs(r *repository, names []string, order graph.Args) {
	if order.Text("field") == "TAG_COMMIT_DATE" {
		slices.SortStableFunc(names, func(a, b string) int { return r.git.Committed(a).Compare(r.git.Committed(b)) })
	}
	if order.Text("direction") == "DESC" {
		slices.Reverse(names)
	}
}

// deployments pages through the deployments of a repository or of one commit.
func (g *resolver) deployments(r *repository, args graph.Args, sha string) (any, error) {
	environments := args.Texts("environments")
	var chosen []*deployment
	for _, d := range r.deployments {
		if (sha == "" || d.sha == sha) && (len(environments) == 0 || slices.Contains(environments, d.environment)) {
			chosen = append(chosen, d)
		}
	}
	if args.Object("orderBy").Text("direction") == "DESC" {
		slices.Reverse(chosen)
	}
	return graph.Connection("Deployment", args, chosen, func(d *deployment) *graph.Object { return g.deployment(r, d) })
}

func (g *resolver) deployment(r *repository, d *deployment) *graph.Object {
	v := graph.Value
	state := "PENDING"
	var latest *deploymentStatus
	if len(d.statuses) > 0 {
		latest = d.statuses[len(d.statuses)-1]
		state = map[string]string{"success": "ACTIVE"}[latest.state]
		state = cmp.Or(state, strings.ToUpper(latest.state))
	}
	return &graph.Object{Type: "Deployment", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(nodeID("DE", d.id)), "databaseId": v(d.id), "environment": v(d.environment), "originalEnvironment": v(d.environment),
		"latestEnvironment": v(d.environment), "task": v(d.task), "description": v(optional(d.description)), "commitOid": v(d.sha), "state": v(state),
		"createdAt": v(stamp(d.created)), "updatedAt": v(stamp(d.updated)),
		"creator":      func(graph.Args) (any, error) { return g.actor(d.creator), nil },
		"commit":       func(graph.Args) (any, error) { return g.commit(r, d.sha), nil },
		"latestStatus": func(graph.Args) (any, error) { return g.deploymentStatus(latest), nil },
		"statuses": func(args graph.Args) (any, error) {
			newestFirst := slices.Clone(d.statuses)
			slices.Reverse(newestFirst)
			return graph.Connection("DeploymentStatus", args, newestFirst, g.deploymentStatus)
		},
	}}
}

func (g *resolver) deploymentStatus(s *deploymentStatus) *graph.Object {
	if s == nil {
		return nil
	}
	v := graph.Value
	return &graph.Object{Type: "DeploymentStatus", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(nodeID("DES", s.id)), "state": v(strings.ToUpper(s.state)), "description": v(optional(s.description)), "createdAt": v(stamp(s.created)),
		"updatedAt": v(stamp(s.created)), "logUrl": v(optional(s.logURL)), "environmentUrl": v(optional(s.environmentURL)), "environment": v(s.environment),
		"creator": func(graph.Args) (any, error) { return g.actor(s.creator), nil },
	}}
}

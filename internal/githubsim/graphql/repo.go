package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/graph"
)

func (g *objects) repository(r *hub.Repository) *graph.Object {
	v := graph.Value
	fields := graph.Fields{
		"id": v(render.NodeID("R", r.ID)), "databaseId": v(r.ID), "name": v(r.Name), "nameWithOwner": v(r.FullName()),
		"url":       v(g.Render.HTML(r, "")),
		"owner":     func(graph.Args) (any, error) { return g.actor(r.Owner), nil },
		"isPrivate": v(r.Private), "isArchived": v(r.Archived), "isFork": v(false), "isEmpty": v(false),
		"isDisabled": v(false),
		"visibility": v(strings.ToUpper(r.Visibility())), "pushedAt": v(render.Stamp(r.Pushed)),
		"createdAt":          v(render.Stamp(r.Created)),
		"mergeCommitAllowed": v(!r.Settings.NoMergeCommit), "squashMergeAllowed": v(!r.Settings.NoSquash),
		"rebaseMergeAllowed": v(!r.Settings.NoRebase), "autoMergeAllowed": v(r.Settings.AutoMerge),
		"deleteBranchOnMerge": v(r.Settings.DeleteBranchOnMerge),
		"defaultBranchRef":    func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+r.Seen().DefaultBranch()), nil },
		"ref": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return g.ref(r, qualified(r, args.Text("qualifiedName"))), nil
		}),
		"refs": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			names := slices.DeleteFunc(r.Seen().Refs(args.Text("refPrefix")),
				func(name string) bool { return !strings.Contains(name, args.Text("query")) })
			orderRefs(r, names, args.Object("orderBy"))
			return graph.Connection("Ref", args, names, func(name string) *graph.Object { return g.ref(r, name) })
		}),
		"object": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return g.object(r, args.Text("expression"), args.Text("oid")), nil
		}),
		"pullRequest": g.guarded(r, "pull_requests:read", func(args graph.Args) (any, error) {
			p, err := r.FindPull(args.Int("number", 0))
			if err != nil {
				return nil, &graph.Error{
					Type: "NOT_FOUND", Message: "Could not resolve to a PullRequest with the number of " +
						strconv.Itoa(args.Int("number", 0)) + ".",
				}
			}
			return g.pull(r, p), nil
		}),
		"pullRequests": g.guarded(r, "pull_requests:read", func(args graph.Args) (any, error) {
			return graph.Connection("PullRequest", args, g.chosenPulls(r, args),
				func(p *hub.Pull) *graph.Object { return g.pull(r, p) })
		}),
		"label": func(args graph.Args) (any, error) {
			if l, found := r.Label(args.Text("name")); found {
				return g.label(r, l), nil
			}
			return nil, nil
		},
		"labels": func(args graph.Args) (any, error) {
			return graph.Connection("Label", args, r.Labels, func(l *hub.Label) *graph.Object { return g.label(r, l) })
		},
		"deployments": g.guarded(r, "deployments:read",
			func(args graph.Args) (any, error) { return g.deployments(r, args, "") }),
		"releases": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			return graph.Connection("Release", args, orderedReleases(r, args.Object("orderBy")),
				func(one *hub.Release) *graph.Object { return g.release(r, one) })
		}),
		"release": g.guarded(r, "contents:read", func(args graph.Args) (any, error) {
			for _, one := range slices.Backward(r.Releases) {
				if one.Tag == args.Text("tagName") {
					return g.release(r, one), nil
				}
			}
			return nil, nil
		}),
		"mergeQueue": func(args graph.Args) (any, error) {
			return g.mergeQueue(r, strings.TrimPrefix(cmp.Or(args.Text("branch"), r.Seen().DefaultBranch()), "refs/heads/")), nil
		},
		"viewerPermission": func(graph.Args) (any, error) { return g.viewerPermission(r), nil },
	}
	return &graph.Object{
		Type: "Repository", Is: []string{"Node", "UniformResourceLocatable"}, Fields: fields,
		Sure: []string{"deployments", "pullRequests", "releases"},
	}
}

// viewerPermission returns a person's level. An App has no level and gets that of its permission on contents.
func (g *objects) viewerPermission(r *hub.Repository) string {
	switch {
	case g.who.Kind == hub.AsUser:
		return strings.ToUpper(r.Level(g.who.Account))
	case hub.May(g.who.Grant.Permissions, "contents", "write"):
		return "WRITE"
	}
	return "READ"
}

// qualified completes a branch name to a reference, as GitHub does.
func qualified(r *hub.Repository, name string) string {
	for _, full := range []string{name, "refs/heads/" + name, "refs/tags/" + name} {
		if _, found := r.Seen().Ref(full); found {
			return full
		}
	}
	return name
}

// chosenPulls applies the arguments of pullRequests.
func (g *objects) chosenPulls(r *hub.Repository, args graph.Args) []*hub.Pull {
	var chosen []*hub.Pull
	for _, i := range slices.Backward(r.SortedIssues()) {
		if i.Pull != nil && g.Lag.Lists(i.Pull) && wantedPull(i.Pull, args) {
			chosen = append(chosen, i.Pull)
		}
	}
	order := args.Object("orderBy")
	if order.Text("field") == "UPDATED_AT" {
		slices.SortStableFunc(chosen, func(a, b *hub.Pull) int { return a.Updated.Compare(b.Updated) })
	}
	if order.Text("direction") == "DESC" {
		slices.Reverse(chosen)
	}
	return chosen
}

func wantedPull(p *hub.Pull, args graph.Args) bool {
	if states := args.Texts("states"); len(states) > 0 && !slices.Contains(states, p.GraphState()) {
		return false
	}
	if base := args.Text("baseRefName"); base != "" && base != p.BaseRef {
		return false
	}
	if head := args.Text("headRefName"); head != "" && head != p.HeadRef {
		return false
	}
	labels := args.Texts("labels")
	return len(labels) == 0 || slices.ContainsFunc(labels, func(name string) bool { return p.HasAll([]string{name}) })
}

func (g *objects) label(r *hub.Repository, l *hub.Label) *graph.Object {
	return &graph.Object{Type: "Label", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("LA", l.ID)), "name": graph.Value(l.Name), "color": graph.Value(l.Color),
		"description": graph.Value(render.Optional(l.Description)),
		"url":         graph.Value(g.Render.HTML(r, "/labels/"+l.Name)),
	}}
}

func (g *objects) release(r *hub.Repository, one *hub.Release) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "Release", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(render.NodeID("RE", one.ID)), "databaseId": v(one.ID), "name": v(render.Optional(one.Name)),
		"tagName": v(one.Tag), "isDraft": v(one.Draft),
		"isPrerelease": v(one.Prerelease), "createdAt": v(render.Stamp(one.Created)),
		"publishedAt": v(render.Stamp(one.Published)),
		"description": v(render.Optional(one.Body)), "url": v(g.Render.HTML(r, "/releases/tag/"+one.Tag)),
		"author": func(graph.Args) (any, error) {
			if one.Author.Kind != hub.KindUser { // GitHub's schema cannot represent an App here
				return nil, nil
			}
			return g.actor(one.Author), nil
		},
		"tagCommit": func(graph.Args) (any, error) {
			if sha, found := r.Seen().Ref("refs/tags/" + one.Tag); found {
				return g.commit(r, sha), nil
			}
			return nil, nil
		},
	}}
}

// orderedReleases applies the requested order: creation order, or its reverse.
func orderedReleases(r *hub.Repository, order graph.Args) []*hub.Release {
	ordered := slices.Clone(r.Releases)
	if order.Text("direction") == "DESC" {
		slices.Reverse(ordered)
	}
	return ordered
}

// orderRefs sorts references by the dates of their commits if the arguments request it.
func orderRefs(r *hub.Repository, names []string, order graph.Args) {
	if order.Text("field") == "TAG_COMMIT_DATE" {
		slices.SortStableFunc(names, func(a, b string) int { return r.Seen().Committed(a).Compare(r.Seen().Committed(b)) })
	}
	if order.Text("direction") == "DESC" {
		slices.Reverse(names)
	}
}

// deployments pages through the deployments of a repository or of one commit.
func (g *objects) deployments(r *hub.Repository, args graph.Args, sha string) (any, error) {
	environments := args.Texts("environments")
	var chosen []*hub.Deployment
	for _, d := range r.Deployments {
		if (sha == "" || d.SHA == sha) && (len(environments) == 0 || slices.Contains(environments, d.Environment)) {
			chosen = append(chosen, d)
		}
	}
	if args.Object("orderBy").Text("direction") == "DESC" {
		slices.Reverse(chosen)
	}
	return graph.Connection("Deployment", args, chosen,
		func(d *hub.Deployment) *graph.Object { return g.deployment(r, d) })
}

func (g *objects) deployment(r *hub.Repository, d *hub.Deployment) *graph.Object {
	v := graph.Value
	state := "PENDING"
	var latest *hub.DeploymentStatus
	if len(d.Statuses) > 0 {
		latest = d.Statuses[len(d.Statuses)-1]
		state = map[string]string{"success": "ACTIVE"}[latest.State]
		state = cmp.Or(state, strings.ToUpper(latest.State))
	}
	return &graph.Object{Type: "Deployment", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(render.NodeID("DE", d.ID)), "databaseId": v(d.ID), "environment": v(d.Environment),
		"originalEnvironment": v(d.Environment),
		"latestEnvironment":   v(d.Environment), "task": v(d.Task), "description": v(render.Optional(d.Description)),
		"commitOid": v(d.SHA), "state": v(state),
		"createdAt": v(render.Stamp(d.Created)), "updatedAt": v(render.Stamp(d.Updated)),
		"creator":      func(graph.Args) (any, error) { return g.actor(d.Creator), nil },
		"commit":       func(graph.Args) (any, error) { return g.commit(r, d.SHA), nil },
		"latestStatus": func(graph.Args) (any, error) { return g.deploymentStatus(latest), nil },
		"statuses": func(args graph.Args) (any, error) {
			newestFirst := slices.Clone(d.Statuses)
			slices.Reverse(newestFirst)
			return graph.Connection("DeploymentStatus", args, newestFirst, g.deploymentStatus)
		},
	}}
}

func (g *objects) deploymentStatus(s *hub.DeploymentStatus) *graph.Object {
	if s == nil {
		return nil
	}
	v := graph.Value
	return &graph.Object{Type: "DeploymentStatus", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(render.NodeID("DES", s.ID)), "state": v(strings.ToUpper(s.State)),
		"description": v(render.Optional(s.Description)), "createdAt": v(render.Stamp(s.Created)),
		"updatedAt": v(render.Stamp(s.Created)), "logUrl": v(render.Optional(s.LogURL)),
		"environmentUrl": v(render.Optional(s.EnvironmentURL)), "environment": v(s.Environment),
		"creator": func(graph.Args) (any, error) { return g.actor(s.Creator), nil },
	}}
}

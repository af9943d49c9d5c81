package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"bytes"
	"cmp"
	"path"
	"strings"
	"unicode/utf8"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/graph"
)

// ref returns a reference, or nil if it does not exist.
func (g *objects) ref(r *hub.Repository, name string) *graph.Object {
	sha, found := r.Seen().Ref(name)
	if !found {
		return nil
	}
	short, prefix := name, ""
	for _, known := range []string{"refs/heads/", "refs/tags/"} {
		if rest, has := strings.CutPrefix(name, known); has {
			short, prefix = rest, known
		}
	}
	return &graph.Object{Type: "Ref", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.RefNode(r, name)), "name": graph.Value(short), "prefix": graph.Value(prefix),
		"target":     g.guarded(r, "contents:read", func(graph.Args) (any, error) { return g.commit(r, sha), nil }),
		"repository": func(graph.Args) (any, error) { return g.repository(r), nil },
		"refUpdateRule": func(graph.Args) (any, error) {
			if p, found := r.Protections[short]; found && prefix == "refs/heads/" && p.Classic {
				return g.refUpdateRule(short, p), nil
			}
			return nil, nil
		},
		"associatedPullRequests": func(args graph.Args) (any, error) {
			args["headRefName"] = short
			return graph.Connection("PullRequest", args, g.chosenPulls(r, args),
				func(p *hub.Pull) *graph.Object { return g.pull(r, p) })
		},
	}}
}

// refUpdateRule returns what a person or App without administration sees of the classic protection of a branch.
func (g *objects) refUpdateRule(branch string, p hub.Protection) *graph.Object {
	v := graph.Value
	var reviews any
	if p.ReviewsPulls() {
		reviews = p.RequiredReviews
	}
	return &graph.Object{Type: "RefUpdateRule", Fields: graph.Fields{
		"pattern": v(branch), "allowsDeletions": v(!p.Deletion), "allowsForcePushes": v(!p.NonFastForward),
		"blocksCreations": v(p.Creation), "requiredApprovingReviewCount": v(reviews),
		"requiredStatusCheckContexts": v(append([]string{}, p.RequiredChecks...)),
		"requiresCodeOwnerReviews":    v(len(p.Owners) > 0), "requiresConversationResolution": v(false),
		"requiresLinearHistory": v(p.Linear), "requiresSignatures": v(p.Signatures),
		"viewerAllowedToDismissReviews": v(false), "viewerCanPush": v(!p.Update || p.Passes(g.who.Account)),
	}}
}

// object finds the Git object of an expression ("main:dir/file", "main", a SHA), or returns nil.
func (g *objects) object(r *hub.Repository, expression, oid string) *graph.Object {
	if oid != "" {
		expression = oid
	}
	revision, name, hasPath := strings.Cut(expression, ":")
	sha, found := r.Seen().Resolve(cmp.Or(revision, "HEAD"))
	if !found {
		return g.plainObject(r, gitstore.Entry{Mode: gitstore.ModeFile, SHA: revision})
	}
	if !hasPath {
		return g.commit(r, sha)
	}
	entry, err := r.Seen().Lookup(r.Seen().TreeOf(sha), strings.TrimSuffix(name, "/"))
	if err != nil {
		return nil
	}
	return g.plainObject(r, entry)
}

// plainObject renders a blob or tree.
func (g *objects) plainObject(r *hub.Repository, e gitstore.Entry) *graph.Object {
	kind, err := r.Seen().Kind(e.SHA)
	if err != nil {
		return nil
	}
	switch kind {
	case gitstore.KindBlob:
		return g.blob(r, e.SHA)
	case gitstore.KindTree:
		return g.tree(r, e.SHA)
	}
	return nil
}

func (g *objects) gitObject(r *hub.Repository, kind, sha string) graph.Fields {
	return graph.Fields{
		"id": graph.Value(render.NodeID(kind, r.ID) + ":" + sha), "oid": graph.Value(sha),
		"abbreviatedOid": graph.Value(sha[:7]),
		"commitUrl":      graph.Value(g.Render.HTML(r, "/commit/"+sha)),
		"repository":     func(graph.Args) (any, error) { return g.repository(r), nil },
	}
}

func (g *objects) blob(r *hub.Repository, sha string) *graph.Object {
	content, err := r.Seen().Blob(sha)
	if err != nil {
		return nil
	}
	fields := g.gitObject(r, "B", sha)
	binary := bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content)
	fields["byteSize"], fields["isBinary"], fields["isTruncated"] = graph.Value(len(content)), graph.Value(binary),
		graph.Value(false)
	fields["text"] = graph.Value(string(content))
	if binary {
		fields["text"] = graph.Value(nil)
	}
	return &graph.Object{Type: "Blob", Is: []string{"GitObject", "Node"}, Fields: fields}
}

func (g *objects) tree(r *hub.Repository, sha string) *graph.Object {
	fields := g.gitObject(r, "T", sha)
	fields["entries"] = func(graph.Args) (any, error) {
		entries, err := r.Seen().Tree(sha)
		var listed []*graph.Object
		for _, e := range entries {
			listed = append(listed, g.entry(r, e))
		}
		return listed, err
	}
	return &graph.Object{Type: "Tree", Is: []string{"GitObject", "Node"}, Fields: fields}
}

func (g *objects) entry(r *hub.Repository, e gitstore.Entry) *graph.Object {
	mode := map[string]int{
		gitstore.ModeFile: 0o100644, gitstore.ModeExecutable: 0o100755, gitstore.ModeSymlink: 0o120000,
		gitstore.ModeTree: 0o040000, gitstore.ModeSubmodule: 0o160000,
	}
	size := 0
	if content, err := r.Seen().Blob(e.SHA); err == nil {
		size = len(content)
	}
	return &graph.Object{Type: "TreeEntry", Fields: graph.Fields{
		"name": graph.Value(path.Base(e.Name)), "path": graph.Value(e.Name), "mode": graph.Value(mode[e.Mode]),
		"oid":  graph.Value(e.SHA),
		"type": graph.Value(e.Kind()), "size": graph.Value(size), "extension": graph.Value(path.Ext(e.Name)),
		"object": func(graph.Args) (any, error) { return g.plainObject(r, e), nil },
	}}
}

func (g *objects) commit(r *hub.Repository, sha string) *graph.Object {
	c, err := r.Seen().Commit(sha)
	if err != nil {
		return nil
	}
	v := graph.Value
	headline, body, _ := strings.Cut(c.Message, "\n")
	fields := g.gitObject(r, "C", sha)
	more := graph.Fields{
		"message": v(c.Message), "messageHeadline": v(headline), "messageBody": v(strings.TrimSpace(body)),
		"url":           v(g.Render.HTML(r, "/commit/"+sha)),
		"committedDate": v(render.Stamp(c.Committer.When)), "authoredDate": v(render.Stamp(c.Author.When)),
		"author":    func(graph.Args) (any, error) { return g.gitActor(c.Author), nil },
		"committer": func(graph.Args) (any, error) { return g.gitActor(c.Committer), nil },
		"authors": func(args graph.Args) (any, error) {
			return graph.Connection("GitActor", args, authorsOf(c), g.gitActor)
		},
		"committedViaWeb": v(c.Committer.Email == "noreply@github.com"),
		"tree":            func(graph.Args) (any, error) { return g.tree(r, c.Tree), nil },
		"parents": func(args graph.Args) (any, error) {
			return graph.Connection("Commit", args, c.Parents, func(parent string) *graph.Object { return g.commit(r, parent) })
		},
		"file": func(args graph.Args) (any, error) {
			e, err := r.Seen().Lookup(c.Tree, args.Text("path"))
			if err != nil {
				return nil, nil
			}
			e.Name = args.Text("path")
			return g.entry(r, e), nil
		},
		"history": func(args graph.Args) (any, error) { return g.history(r, sha, args) },
		"deployments": g.guarded(r, "deployments:read",
			func(args graph.Args) (any, error) { return g.deployments(r, args, sha) }),
		"associatedPullRequests": g.guarded(r, "pull_requests:read", func(args graph.Args) (any, error) {
			var of []*hub.Pull
			for _, i := range r.SortedIssues() {
				if i.Pull != nil && r.Brings(i.Pull, sha) {
					of = append(of, i.Pull)
				}
			}
			return graph.Connection("PullRequest", args, of, func(p *hub.Pull) *graph.Object { return g.pull(r, p) })
		}),
		"checkSuites": g.guarded(r, "checks:read",
			func(args graph.Args) (any, error) { return g.suites(r, sha, args) }),
		"status":            g.guarded(r, "statuses:read", func(graph.Args) (any, error) { return g.status(r, sha), nil }),
		"statusCheckRollup": g.guarded(r, "checks:read", func(graph.Args) (any, error) { return g.rollup(r, sha), nil }),
	}
	for name, resolve := range more {
		fields[name] = resolve
	}
	return &graph.Object{Type: "Commit", Is: []string{"GitObject", "Node", "UniformResourceLocatable"}, Fields: fields}
}

func (g *objects) history(r *hub.Repository, sha string, args graph.Args) (any, error) {
	since, until := args.Text("since"), args.Text("until")
	var chosen []gitstore.Commit
	for _, one := range r.Seen().Log(sha) {
		when, _ := render.Stamp(one.Committer.When).(string) // RFC 3339 in UTC: times compare as text
		if (since == "" || when >= since) && (until == "" || when <= until) && r.Seen().Touches(one, args.Text("path")) {
			chosen = append(chosen, one)
		}
	}
	connection, err := graph.Connection("CommitHistory", args, chosen,
		func(one gitstore.Commit) *graph.Object { return g.commit(r, one.SHA) })
	return connection, err
}

// authorsOf returns the author of a commit, and those whom the trailers of its message name.
func authorsOf(c gitstore.Commit) []gitstore.Person {
	all := []gitstore.Person{c.Author}
	for line := range strings.Lines(c.Message) {
		if named, is := strings.CutPrefix(strings.TrimSpace(line), "Co-authored-by: "); is {
			name, email, _ := strings.Cut(strings.TrimSuffix(named, ">"), " <")
			all = append(all, gitstore.Person{Name: name, Email: email, When: c.Author.When})
		}
	}
	return all
}

func (g *objects) gitActor(p gitstore.Person) *graph.Object {
	return &graph.Object{Type: "GitActor", Fields: graph.Fields{
		"name": graph.Value(p.Name), "email": graph.Value(p.Email), "date": graph.Value(render.Stamp(p.When)),
		"user": func(graph.Args) (any, error) {
			if a, found := g.Accounts.ByEmail(p.Email); found && a.Kind == hub.KindUser {
				return g.actor(a), nil
			}
			return nil, nil
		},
	}}
}

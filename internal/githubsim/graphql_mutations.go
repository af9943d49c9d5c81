package githubsim

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/graph"
)

// mutate is one mutation: it answers the payload's fields.
type mutate func(in graph.Args) (graph.Fields, error)

// mutation is the root of mutations; injected is a field that is to fail.
func (g *resolver) mutation(injected *FieldError) *graph.Object {
	fields := graph.Fields{}
	for name, run := range map[string]mutate{
		"createRef": g.createRef, "updateRef": g.updateRef, "deleteRef": g.deleteRefMutation, "createCommitOnBranch": g.createCommitOnBranch,
		"createPullRequest": g.createPullRequest, "updatePullRequest": g.updatePullRequest, "closePullRequest": g.closePullRequest,
		"reopenPullRequest": g.reopenPullRequest, "mergePullRequest": g.mergePullRequest,
		"enablePullRequestAutoMerge": g.enableAutoMerge, "disablePullRequestAutoMerge": g.disableAutoMerge,
		"enqueuePullRequest": g.enqueuePullRequest, "dequeuePullRequest": g.dequeuePullRequest,
		"addComment": g.addCommentMutation, "updateIssueComment": g.updateIssueComment, "deleteIssueComment": g.deleteIssueComment,
		"minimizeComment": g.minimizeComment, "unminimizeComment": g.unminimizeComment,
	} {
		fields[name] = g.mutate(name, run, injected)
	}
	return &graph.Object{Type: "Mutation", Fields: fields}
}

func (g *resolver) mutate(name string, run mutate, injected *FieldError) graph.Resolver {
	return func(args graph.Args) (any, error) {
		if injected != nil && injected.Field == name {
			return nil, &graph.Error{Type: orElse(injected.Type, "UNPROCESSABLE"), Message: injected.Message}
		}
		in := args.Object("input")
		fields, err := run(in)
		if err != nil {
			err = asGraphError(err)
		}
		if fields == nil {
			return nil, err
		}
		fields["clientMutationId"] = graph.Value(in["clientMutationId"])
		return &graph.Object{Type: strings.ToUpper(name[:1]) + name[1:] + "Payload", Fields: fields}, err
	}
}

// asGraphError words a refusal of the REST API as GraphQL types it.
func asGraphError(err error) error {
	if _, isTyped := err.(*graph.Error); isTyped {
		return err
	}
	e := asAPIError(err)
	kind := "UNPROCESSABLE"
	switch e.status {
	case http.StatusForbidden:
		kind = "FORBIDDEN"
	case http.StatusNotFound:
		kind = "NOT_FOUND"
	case http.StatusInternalServerError:
		kind = "INTERNAL"
	}
	return &graph.Error{Type: kind, Message: e.text()}
}

func (g *resolver) createRef(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "contents:write")
	if err != nil {
		return nil, err
	}
	name := in.Text("name")
	if _, exists := r.git.Ref(name); exists {
		return nil, invalid("A ref named %q already exists in the repository.", name)
	}
	err = g.newRef(g.who, r, name, in.Text("oid"))
	if err != nil && asAPIError(err).message == refNotUpdated {
		return nil, invalid("Ref cannot be created")
	}
	if err != nil {
		return nil, err
	}
	return graph.Fields{"ref": graph.Value(g.ref(r, name))}, nil
}

func (g *resolver) updateRef(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("refId"), "contents:write")
	if err != nil {
		return nil, err
	}
	_, _, name := splitNode(in.Text("refId"))
	if err := g.moveRef(g.who, r, name, in.Text("oid"), in.Bool("force")); err != nil {
		return nil, err
	}
	return graph.Fields{"ref": graph.Value(g.ref(r, name))}, nil
}

func (g *resolver) deleteRefMutation(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("refId"), "contents:write")
	if err != nil {
		return nil, err
	}
	_, _, name := splitNode(in.Text("refId"))
	if err := g.deleteRef(r, name, g.who.account); err != nil {
		return nil, err
	}
	return graph.Fields{}, nil
}

// createCommitOnBranch commits files to a branch that must still be where the client saw it.
func (g *resolver) createCommitOnBranch(in graph.Args) (graph.Fields, error) {
	r, ref, err := g.committableBranch(in.Object("branch"))
	if err != nil {
		return nil, err
	}
	head, exists := r.git.Ref(ref)
	if !exists {
		return nil, &graph.Error{Type: "NOT_FOUND", Message: "No such branch " + ref}
	}
	if expected := in.Text("expectedHeadOid"); expected != head {
		return nil, &graph.Error{Type: "STALE_DATA", Message: fmt.Sprintf("Expected branch to point to %q but it did not.  Pull and try again.", expected)}
	}
	if err := g.guardBranch(r, ref); err != nil {
		return nil, err
	}
	tree, err := g.editedTree(r, head, in.Object("fileChanges"))
	if err != nil {
		return nil, err
	}
	message := in.Object("message")
	sha, err := r.git.WriteCommit(gitstore.Commit{
		Tree: tree, Parents: []string{head}, Author: g.signature(g.who.account), Committer: g.webFlow(),
		Message: strings.TrimSpace(message.Text("headline") + "\n\n" + message.Text("body")),
	})
	if err != nil {
		return nil, err
	}
	if err := g.guardWorkflows(g.who, r, head, sha); err != nil {
		return nil, err
	}
	if err := g.push(r, ref, sha, g.who.account); err != nil {
		return nil, err
	}
	return graph.Fields{"commit": graph.Value(g.commit(r, sha)), "ref": graph.Value(g.ref(r, ref))}, nil
}

// committableBranch finds a branch by its node, or by repository and name.
func (g *resolver) committableBranch(in graph.Args) (*repository, string, error) {
	if id := in.Text("id"); id != "" {
		r, err := g.repoNode(id, "contents:write")
		_, _, name := splitNode(id)
		return r, name, err
	}
	fullName := in.Text("repositoryNameWithOwner")
	r, found := g.repo(fullName)
	if !found {
		return nil, "", g.noRepository(fullName)
	}
	name := in.Text("branchName")
	if !strings.HasPrefix(name, "refs/heads/") {
		name = "refs/heads/" + name
	}
	return r, name, g.need(r, "contents:write")
}

func (g *resolver) editedTree(r *repository, head string, changes graph.Args) (string, error) {
	var edits []gitstore.Entry
	base := r.treeOf(head)
	for _, one := range changes.Objects("additions") {
		content, err := base64.StdEncoding.DecodeString(one.Text("contents"))
		if err != nil {
			return "", invalid("A file addition's contents are not valid Base64")
		}
		edits = append(edits, gitstore.Entry{Mode: gitstore.ModeFile, Name: one.Text("path"), SHA: r.git.WriteBlob(content)})
	}
	for _, one := range changes.Objects("deletions") {
		if _, err := r.git.Lookup(base, one.Text("path")); err != nil {
			return "", invalid("A path was requested for deletion which does not exist as of commit oid `%s`", head)
		}
		edits = append(edits, gitstore.Entry{Name: one.Text("path")})
	}
	return r.git.Edit(base, edits)
}

func (g *resolver) createPullRequest(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "pull_requests:write")
	if err != nil {
		return nil, err
	}
	head, base := in.Text("headRefName"), in.Text("baseRefName")
	if err := missingSides(r, head, base); err != nil {
		return noPull(), err
	}
	p, err := g.openPull(r, newPull{title: in.Text("title"), body: in.Text("body"), head: head, base: base, draft: in.Bool("draft")}, g.who.account)
	if err != nil {
		return noPull(), err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p))}, nil
}

// noPull is the payload of a createPullRequest that failed: GitHub answers it with an empty pull request instead of with null.
func noPull() graph.Fields { return graph.Fields{"pullRequest": graph.Value(nil)} }

// missingSides words what GitHub says when a branch of a pull request does not exist.
func missingSides(r *repository, head, base string) error {
	reasons := []string{"Head sha can't be blank", "Base sha can't be blank", "No commits between " + base + " and " + head}
	_, headExists := r.git.Branch(head)
	_, baseExists := r.git.Branch(base)
	if headExists && baseExists {
		return nil
	}
	if !headExists {
		reasons = append(reasons, "Head ref must be a branch")
	}
	if !baseExists {
		reasons = append(reasons, "Base ref must be a branch")
	}
	return invalid("%s", strings.Join(reasons, ", "))
}

// onPull runs a mutation of one pull request and answers it.
func (g *resolver) onPull(id, permissions string, change func(r *repository, p *pull) error) (graph.Fields, error) {
	r, p, err := g.pullNode(id, permissions)
	if err != nil {
		return nil, err
	}
	if err := change(r, p); err != nil {
		return nil, err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p)), "actor": graph.Value(g.actor(g.who.account))}, nil
}

func (g *resolver) updatePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		state := in.Optional("state")
		if state != nil {
			*state = lower(*state)
		}
		return g.changePull(r, p, in.Optional("title"), in.Optional("body"), in.Optional("baseRefName"), state, g.who.account)
	})
}

func (g *resolver) closePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		if !p.open {
			return invalid("Could not close the pull request.")
		}
		return g.closePull(r, p, g.who.account)
	})
}

func (g *resolver) reopenPullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		return g.reopenPull(r, p, g.who.account)
	})
}

func (g *resolver) mergePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		_, err := g.mergePull(r, p, mergeRequest{
			method: orElse(lower(in.Text("mergeMethod")), "merge"), title: in.Text("commitHeadline"), message: in.Text("commitBody"), sha: in.Text("expectedHeadOid"),
		}, g.who.account)
		return err
	})
}

func (g *resolver) enableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		if expected := in.Text("expectedHeadOid"); expected != "" && expected != p.headSHA {
			return invalid("Head branch was modified. Review and try the merge again.")
		}
		return g.arm(r, p, orElse(lower(in.Text("mergeMethod")), "merge"), g.who.account)
	})
}

func (g *resolver) disableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		if p.autoMerge == nil {
			return invalid("Can't disable auto-merge for this pull request.")
		}
		g.disarm(r, p, g.who.account)
		return nil
	})
}

func (g *resolver) addCommentMutation(in graph.Args) (graph.Fields, error) {
	r, i, err := g.issueNodeOf(in.Text("subjectId"), "issues:write|pull_requests:write")
	if err != nil {
		return nil, err
	}
	c, err := g.addComment(r, i, g.who.account, g.who.app, in.Text("body"))
	if err != nil {
		return nil, err
	}
	node := g.comment(r, c)
	edge := &graph.Object{Type: "IssueCommentEdge", Fields: graph.Fields{"node": graph.Value(node), "cursor": graph.Value(nodeID("IC", c.id))}}
	subject := &graph.Object{Type: "Issue", Is: []string{"Node"}, Fields: g.issueFields(r, i)}
	if i.pull != nil {
		subject = g.pull(r, i.pull)
	}
	return graph.Fields{"commentEdge": graph.Value(edge), "subject": graph.Value(subject)}, nil
}

// onComment runs a mutation of one comment and answers it in the payload's field of that name.
func (g *resolver) onComment(id, field string, change func(r *repository, c *comment) error) (graph.Fields, error) {
	r, c, err := g.commentNode(id, "issues:write|pull_requests:write")
	if err != nil {
		return nil, err
	}
	if err := change(r, c); err != nil {
		return nil, err
	}
	if field == "" {
		return graph.Fields{}, nil
	}
	return graph.Fields{field: graph.Value(g.comment(r, c))}, nil
}

func (g *resolver) updateIssueComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("id"), "issueComment", func(r *repository, c *comment) error {
		return g.editComment(r, c, g.who.account, in.Text("body"))
	})
}

func (g *resolver) deleteIssueComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("id"), "", func(r *repository, c *comment) error {
		g.deleteComment(r, c, g.who.account)
		return nil
	})
}

func (g *resolver) minimizeComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("subjectId"), "minimizedComment", func(_ *repository, c *comment) error {
		c.minimized = lower(in.Text("classifier"))
		return nil
	})
}

func (g *resolver) unminimizeComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("subjectId"), "unminimizedComment", func(_ *repository, c *comment) error {
		c.minimized = ""
		return nil
	})
}

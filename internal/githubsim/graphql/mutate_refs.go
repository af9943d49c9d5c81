package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"encoding/base64"
	"fmt"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/graph"
)

func (g *mutations) createRef(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "contents:write")
	if err != nil {
		return nil, err
	}
	name := in.Text("name")
	if _, exists := r.Git().Ref(name); exists {
		return nil, hub.Invalid("A ref named %q already exists in the repository.", name)
	}
	err = g.Refs.New(g.who, r, name, in.Text("oid"))
	if err != nil && hub.AsRefusal(err).Message == hub.RefNotUpdated {
		return nil, hub.Invalid("Ref cannot be created")
	}
	if err != nil {
		return nil, err
	}
	return graph.Fields{"ref": graph.Value(g.ref(r, name))}, nil
}

func (g *mutations) updateRef(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("refId"), "contents:write")
	if err != nil {
		return nil, err
	}
	_, _, name := render.SplitNode(in.Text("refId"))
	if err := g.Refs.Move(g.who, r, name, in.Text("oid"), in.Bool("force")); err != nil {
		return nil, err
	}
	return graph.Fields{"ref": graph.Value(g.ref(r, name))}, nil
}

// updateRefs moves all of the references, or none: each must still point to the commit that the client expects.
func (g *mutations) updateRefs(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "contents:write")
	if err != nil {
		return nil, err
	}
	for _, one := range in.Objects("refUpdates") {
		head, exists := r.Git().Ref(one.Text("name"))
		if !exists {
			head = gitstore.Zero
		}
		if before := one.Text("beforeOid"); before != "" && before != head {
			return nil, hub.Invalid("Reference update failed: %s is at %s", one.Text("name"), head)
		}
	}
	for _, one := range in.Objects("refUpdates") {
		if err := g.updateOneRef(r, one); err != nil {
			return nil, err
		}
	}
	return graph.Fields{}, nil
}

// updateOneRef makes, moves or deletes a reference.
func (g *mutations) updateOneRef(r *hub.Repository, one graph.Args) error {
	name, after := one.Text("name"), one.Text("afterOid")
	_, exists := r.Git().Ref(name)
	switch {
	case after == gitstore.Zero && exists:
		return g.Refs.Remove(g.who, r, name)
	case after == gitstore.Zero:
		return nil
	case exists:
		return g.Refs.Move(g.who, r, name, after, one.Bool("force"))
	}
	return g.Refs.New(g.who, r, name, after)
}

func (g *mutations) deleteRefMutation(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("refId"), "contents:write")
	if err != nil {
		return nil, err
	}
	_, _, name := render.SplitNode(in.Text("refId"))
	if err := g.Refs.Remove(g.who, r, name); err != nil {
		return nil, err
	}
	return graph.Fields{}, nil
}

// createCommitOnBranch commits files to a branch that must still point to the commit that the client expects.
func (g *mutations) createCommitOnBranch(in graph.Args) (graph.Fields, error) {
	r, ref, err := g.committableBranch(in.Object("branch"))
	if err != nil {
		return nil, err
	}
	head, exists := r.Seen().Ref(ref)
	if !exists {
		return nil, &graph.Error{Type: "NOT_FOUND", Message: "No such branch " + ref}
	}
	if expected := in.Text("expectedHeadOid"); expected != head {
		return nil, &graph.Error{
			Type: "STALE_DATA", Message: fmt.Sprintf("Expected branch to point to %q but it did not.  Pull and try again.",
				expected),
		}
	}
	if err := g.Refs.GuardBranch(g.who, r, ref); err != nil {
		return nil, err
	}
	tree, err := g.editedTree(r, head, in.Object("fileChanges"))
	if err != nil {
		return nil, err
	}
	message := in.Object("message")
	sha, err := r.Git().WriteCommit(gitstore.Commit{
		Tree: tree, Parents: []string{head}, Author: g.Refs.Signature(g.who.Account), Committer: g.Refs.WebFlow(),
		Message: strings.TrimSpace(message.Text("headline") + "\n\n" + message.Text("body")),
	})
	if err != nil {
		return nil, err
	}
	if err := g.Refs.GuardWorkflows(g.who, r, head, sha); err != nil {
		return nil, err
	}
	if err := g.Refs.Push(r, ref, sha, g.who.Account); err != nil {
		return nil, err
	}
	return graph.Fields{"commit": graph.Value(g.commit(r, sha)), "ref": graph.Value(g.ref(r, ref))}, nil
}

// committableBranch finds a branch by its node, or by repository and name.
func (g *mutations) committableBranch(in graph.Args) (*hub.Repository, string, error) {
	if id := in.Text("id"); id != "" {
		r, err := g.repoNode(id, "contents:write")
		_, _, name := render.SplitNode(id)
		return r, name, err
	}
	fullName := in.Text("repositoryNameWithOwner")
	r, found := g.Repos.Find(fullName)
	if !found {
		return nil, "", g.noRepository(fullName)
	}
	name := in.Text("branchName")
	if !strings.HasPrefix(name, "refs/heads/") {
		name = "refs/heads/" + name
	}
	return r, name, g.need(r, "contents:write")
}

func (g *mutations) editedTree(r *hub.Repository, head string, changes graph.Args) (string, error) {
	var edits []gitstore.Entry
	base := r.Seen().TreeOf(head)
	for _, one := range changes.Objects("additions") {
		content, err := base64.StdEncoding.DecodeString(one.Text("contents"))
		if err != nil {
			return "", hub.Invalid("A file addition's contents are not valid Base64")
		}
		edits = append(edits, gitstore.Entry{
			Mode: gitstore.ModeFile, Name: one.Text("path"), SHA: r.Git().WriteBlob(content),
		})
	}
	for _, one := range changes.Objects("deletions") {
		if _, err := r.Seen().Lookup(base, one.Text("path")); err != nil {
			return "", hub.Invalid("A path was requested for deletion which does not exist as of commit oid `%s`", head)
		}
		edits = append(edits, gitstore.Entry{Name: one.Text("path")})
	}
	return r.Git().Edit(base, edits)
}

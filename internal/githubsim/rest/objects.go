package rest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func objectRoutes(t *table) {
	t.with("contents:write", "POST /repos/{owner}/{repo}/git/blobs", createBlob)
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/blobs/{file_sha}", showBlob)
	t.with("contents:write", "POST /repos/{owner}/{repo}/git/trees", createTree)
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/trees/{tree_sha}", showTree)
	t.with("contents:write", "POST /repos/{owner}/{repo}/git/commits", createCommit)
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/commits/{commit_sha}", showGitCommit)
}

func createBlob(c *call) (reply, error) {
	var in struct{ Content, Encoding string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in.Content), ""))
		if err != nil {
			return reply{}, hub.Invalid("content is not valid Base64")
		}
		content = decoded
	}
	sha := c.repo.Git().WriteBlob(content)
	return created(obj{"sha": sha, "url": c.Render.API(c.repo, "/git/blobs/"+sha)}), nil
}

func showBlob(c *call) (reply, error) {
	sha := c.params["file_sha"]
	content, err := c.repo.Seen().Blob(sha)
	if err != nil {
		return reply{}, hub.NotFound()
	}
	if c.wants("raw") {
		return reply{
			Status: http.StatusOK, Body: content, Header: http.Header{"Content-Type": {"application/octet-stream"}},
		}, nil
	}
	return ok(obj{
		"sha": sha, "node_id": render.NodeID("B", c.repo.ID) + sha, "size": len(content),
		"url":     c.Render.API(c.repo, "/git/blobs/"+sha),
		"content": wrapBase64(content), "encoding": "base64",
	}), nil
}

// wrapBase64 encodes content in lines of 60 characters, as GitHub does.
func wrapBase64(content []byte) string {
	text := base64.StdEncoding.EncodeToString(content)
	var lines strings.Builder
	for len(text) > 0 {
		n := min(60, len(text))
		lines.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return lines.String()
}

// treeChange is one entry of a new tree. A null sha deletes the path.
type treeChange struct {
	Path    string
	Mode    string
	Type    string
	SHA     *string
	Content *string
}

func createTree(c *call) (reply, error) {
	var in struct {
		Tree     []treeChange
		BaseTree string `json:"base_tree"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	base := in.BaseTree
	if c.repo.Seen().Has(gitstore.KindCommit, base) {
		base = c.repo.Seen().TreeOf(base) // GitHub accepts a commit in place of its tree
	}
	if base != "" && !c.repo.Seen().Has(gitstore.KindTree, base) {
		return reply{}, hub.Invalid("base_tree is not a valid tree oid")
	}
	var changes []gitstore.Entry
	for _, one := range in.Tree {
		change, err := c.treeEntry(one, base)
		if err != nil {
			return reply{}, err
		}
		changes = append(changes, change)
	}
	sha, err := c.repo.Git().Edit(base, changes)
	if err != nil {
		return reply{}, err
	}
	body, err := c.treeJSON(sha, false)
	return created(body), err
}

func (c *call) treeEntry(one treeChange, base string) (gitstore.Entry, error) {
	if one.Path == "" || strings.HasPrefix(one.Path, "/") || strings.Contains("/"+one.Path+"/", "/../") ||
		strings.HasPrefix(one.Path+"/", ".git/") {
		return gitstore.Entry{}, hub.Invalid("tree.path contains a malformed path component")
	}
	switch one.Mode {
	case gitstore.ModeFile, gitstore.ModeExecutable, gitstore.ModeSymlink, gitstore.ModeTree, gitstore.ModeSubmodule:
	default:
		return gitstore.Entry{}, hub.Invalid("tree.mode contains an invalid file mode")
	}
	entry := gitstore.Entry{Mode: one.Mode, Name: one.Path}
	switch {
	case one.Content != nil:
		entry.SHA = c.repo.Git().WriteBlob([]byte(*one.Content))
		return entry, nil
	case one.SHA == nil:
		if _, err := c.repo.Seen().Lookup(base, one.Path); err != nil {
			return gitstore.Entry{}, hub.Invalid("GitRPC::BadObjectState")
		}
		return entry, nil
	}
	entry.SHA = *one.SHA
	if entry.Mode != gitstore.ModeSubmodule && !c.repo.Seen().Has(entry.Kind(), entry.SHA) {
		return gitstore.Entry{}, hub.Invalid("tree.sha %s is not a valid %s", entry.SHA, entry.Kind())
	}
	return entry, nil
}

func showTree(c *call) (reply, error) {
	sha := c.params["tree_sha"]
	if commit, found := c.repo.Seen().Resolve(sha); found {
		sha = c.repo.Seen().TreeOf(commit)
	}
	if !c.repo.Seen().Has(gitstore.KindTree, sha) {
		return reply{}, hub.NotFound()
	}
	body, err := c.treeJSON(sha, c.query("recursive", "") != "")
	return ok(body), err
}

// The limits of a recursive list of a tree.
const (
	mostEntries = 100_000
	mostBytes   = 7 << 20
)

// ListAtMost lowers the limit of recursive lists of trees, so that a test needs no large repository.
func (a *API) ListAtMost(entries int) { a.mostEntries = entries }

func (c *call) treeJSON(sha string, recursive bool) (obj, error) {
	entries, err := c.repo.Git().Tree(sha)
	if recursive {
		entries, err = c.repo.Git().Files(sha, true)
	}
	if err != nil {
		return nil, err
	}
	listed, size := []any{}, 0
	for _, e := range entries {
		one := obj{
			"path": e.Name, "mode": e.Mode, "type": e.Kind(), "sha": e.SHA,
			"url": c.Render.API(c.repo, "/git/"+e.Kind()+"s/"+e.SHA),
		}
		if content, err := c.repo.Git().Blob(e.SHA); err == nil && e.Kind() == gitstore.KindBlob {
			one["size"] = len(content)
		}
		if text, err := json.Marshal(one); err == nil {
			size += len(text) + len(",")
		}
		if recursive && (len(listed) == c.api.mostEntries || size > mostBytes) {
			return obj{"sha": sha, "url": c.Render.API(c.repo, "/git/trees/"+sha), "tree": listed, "truncated": true}, nil
		}
		listed = append(listed, one)
	}
	return obj{"sha": sha, "url": c.Render.API(c.repo, "/git/trees/"+sha), "tree": listed, "truncated": false}, nil
}

// signatureIn is an author or committer in a request.
type signatureIn struct {
	Name  string
	Email string
	Date  *time.Time
}

func (c *call) person(in *signatureIn, otherwise gitstore.Person) gitstore.Person {
	if in == nil {
		return otherwise
	}
	person := gitstore.Person{Name: in.Name, Email: in.Email, When: otherwise.When}
	if in.Date != nil {
		person.When = *in.Date
	}
	return person
}

func createCommit(c *call) (reply, error) {
	var in struct {
		Message   string
		Tree      string
		Parents   []string
		Author    *signatureIn
		Committer *signatureIn
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	author := c.person(in.Author, c.Refs.Signature(c.who.Account))
	committer := author
	if c.who.Kind == hub.AsInstallation && in.Author == nil {
		committer = c.Refs.WebFlow() // GitHub signs what an App commits in nobody's name
	}
	commit := gitstore.Commit{
		Tree: in.Tree, Parents: in.Parents, Author: author, Committer: c.person(in.Committer, committer), Message: in.Message,
	}
	if !c.repo.Seen().Has(gitstore.KindTree, in.Tree) {
		return reply{}, hub.Invalid("Tree SHA does not exist")
	}
	for _, parent := range in.Parents {
		if !c.repo.Seen().Has(gitstore.KindCommit, parent) {
			return reply{}, hub.Invalid("Parent SHA does not exist or is not a commit object")
		}
	}
	sha, err := c.repo.Git().WriteCommit(commit)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.GitCommit(c.repo, sha)), nil
}

func showGitCommit(c *call) (reply, error) {
	if !c.repo.Seen().Has(gitstore.KindCommit, c.params["commit_sha"]) {
		return reply{}, hub.NotFound()
	}
	return ok(c.Render.GitCommit(c.repo, c.params["commit_sha"])), nil
}

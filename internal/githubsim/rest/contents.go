package rest

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"path"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func contentRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/contents/{path}", showContents)
	t.with("contents:read", "GET /repos/{owner}/{repo}/contents", showContents)
	t.with("contents:write", "PUT /repos/{owner}/{repo}/contents/{path}", putContents)
	t.with("contents:write", "DELETE /repos/{owner}/{repo}/contents/{path}", deleteContents)
}

func showContents(c *call) (reply, error) {
	ref := c.query("ref", c.repo.Seen().DefaultBranch())
	head, found := c.repo.Seen().Resolve(ref)
	if !found {
		return reply{}, hub.Refuse(http.StatusNotFound, "No commit found for the ref %s", ref)
	}
	name := strings.Trim(c.params["path"], "/")
	entry, err := c.repo.Seen().Lookup(c.repo.Seen().TreeOf(head), name)
	if err != nil {
		return reply{}, hub.NotFound()
	}
	if entry.Kind() == gitstore.KindTree {
		return c.folder(entry, name, ref)
	}
	content, err := c.repo.Seen().Blob(entry.SHA)
	if err != nil {
		return reply{}, err
	}
	if c.wants("raw") {
		return reply{
			Status: http.StatusOK, Body: content,
			Header: http.Header{"Content-Type": {"application/vnd.github.raw; charset=utf-8"}},
		}, nil
	}
	j := c.entryJSON(entry, name, ref)
	j["content"], j["encoding"] = wrapBase64(content), "base64"
	return ok(j), nil
}

func (c *call) folder(entry gitstore.Entry, name, ref string) (reply, error) {
	entries, err := c.repo.Seen().Tree(entry.SHA)
	if err != nil {
		return reply{}, err
	}
	return ok(render.List(entries, func(e gitstore.Entry) any { return c.entryJSON(e, path.Join(name, e.Name), ref) })),
		nil
}

// entryJSON renders the fields that files and entries of folders share.
func (c *call) entryJSON(e gitstore.Entry, name, ref string) obj {
	kind, size := "file", 0
	switch e.Mode {
	case gitstore.ModeTree:
		kind = "dir"
	case gitstore.ModeSymlink:
		kind = "symlink"
	case gitstore.ModeSubmodule:
		kind = "submodule"
	}
	if content, err := c.repo.Seen().Blob(e.SHA); err == nil {
		size = len(content)
	}
	self, html, git := c.Render.API(c.repo, "/contents/"+name+"?ref="+ref), c.Render.HTML(c.repo, "/blob/"+ref+"/"+name),
		c.Render.API(c.repo, "/git/"+e.Kind()+"s/"+e.SHA)
	return obj{
		"type": kind, "name": path.Base(name), "path": name, "sha": e.SHA, "size": size, "url": self, "html_url": html,
		"git_url":      git,
		"download_url": c.Render.HTML(c.repo, "/raw/"+ref+"/"+name), "_links": obj{"self": self, "git": git, "html": html},
	}
}

// contentChange is a file to write or delete.
type contentChange struct {
	Message   string
	Content   *string
	SHA       string
	Branch    string
	Author    *signatureIn
	Committer *signatureIn
}

// changing checks a change in GitHub's order: the branch first, then the sha that the client expects.
func (c *call) changing() (in contentChange, name, old string, err error) {
	if err := c.decode(&in); err != nil {
		return in, "", "", err
	}
	name = strings.Trim(c.params["path"], "/")
	in.Branch = cmp.Or(in.Branch, c.repo.Seen().DefaultBranch())
	head, found := c.repo.Seen().Branch(in.Branch)
	if !found {
		return in, "", "", hub.Refuse(http.StatusNotFound, "Branch %s not found", in.Branch)
	}
	if err := c.Refs.GuardBranch(c.who, c.repo, "refs/heads/"+in.Branch); err != nil {
		return in, "", "", hub.Refuse(http.StatusConflict, "Could not update file: %s", hub.AsRefusal(err).Message)
	}
	if c.who.Kind == hub.AsInstallation && strings.HasPrefix(name, ".github/workflows/") &&
		!hub.May(c.who.Grant.Permissions, "workflows", "write") {
		return in, "", "", hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	entry, err := c.repo.Seen().Lookup(c.repo.Seen().TreeOf(head), name)
	if err != nil {
		return in, name, "", nil
	}
	switch {
	case in.SHA == "":
		return in, "", "", hub.Invalid("Invalid request.\n\n\"sha\" wasn't supplied.")
	case in.SHA != entry.SHA:
		return in, "", "", hub.Refuse(http.StatusConflict, "%s does not match %s", name, in.SHA)
	}
	return in, name, entry.SHA, nil
}

func putContents(c *call) (reply, error) {
	in, name, old, err := c.changing()
	if err != nil {
		return reply{}, err
	}
	if in.Content == nil {
		return reply{}, hub.Invalid("Invalid request.\n\n\"content\" wasn't supplied.")
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(*in.Content), ""))
	if err != nil {
		return reply{}, hub.Invalid("content is not valid Base64")
	}
	text := string(decoded)
	sha, err := c.Refs.CommitFiles(c.repo, in.Branch, c.who.Account, in.Message, map[string]*string{name: &text})
	if err != nil {
		return reply{}, err
	}
	entry, err := c.repo.Seen().Lookup(c.repo.Seen().TreeOf(sha), name)
	if err != nil {
		return reply{}, err
	}
	out := ok(obj{"content": c.entryJSON(entry, name, in.Branch), "commit": c.Render.GitCommit(c.repo, sha)})
	if old == "" {
		out.Status = http.StatusCreated
	}
	return out, nil
}

func deleteContents(c *call) (reply, error) {
	in, name, old, err := c.changing()
	if err != nil {
		return reply{}, err
	}
	if old == "" {
		return reply{}, hub.NotFound()
	}
	sha, err := c.Refs.CommitFiles(c.repo, in.Branch, c.who.Account, in.Message, map[string]*string{name: nil})
	if err != nil {
		return reply{}, err
	}
	return ok(obj{"content": nil, "commit": c.Render.GitCommit(c.repo, sha)}), nil
}

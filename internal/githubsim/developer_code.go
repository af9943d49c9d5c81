package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
)

// PushFiles commits files to a branch as a person's push and returns the commit. A nil content deletes a file; a branch
// that does not exist starts from the default branch.
func (d Developer) PushFiles(repo, branch, login, message string, files map[string]*string) (string, error) {
	return d.pushOn(repo, branch, branch, login, message, files)
}

// ForcePush replaces a branch by the default branch with one commit of files on top.
func (d Developer) ForcePush(repo, branch, login, message string, files map[string]*string) (string, error) {
	return d.pushOn(repo, "", branch, login, message, files)
}

// Names are what a commit says of who has made it: logins, or names by whose address GitHub knows nobody. An empty one
// is that of who pushes it.
type Names struct {
	Author, Committer string
	With              string // a co-author; empty: there is none
}

// PushAs is PushFiles with a commit that says who has made it.
func (d Developer) PushAs(repo, branch, login string, names Names, message string,
	files map[string]*string) (string, error) {
	sha := ""
	err := d.onRepo("push to", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		parent, exists := r.Git().Branch(branch)
		if !exists {
			parent, _ = r.Git().Branch(r.Git().DefaultBranch())
		}
		named := func(name string) gitstore.Person {
			p := h.Refs.Signature(who)
			if a, found := h.Accounts.Find(name); found {
				p = h.Refs.Signature(a)
			} else if name != "" {
				p.Name, p.Email = name, name+"@example.com"
			}
			return p
		}
		if names.With != "" {
			with := named(names.With)
			message += fmt.Sprintf("\n\nCo-authored-by: %s <%s>", with.Name, with.Email)
		}
		var err error
		if sha, err = h.Refs.WriteFilesAs(r, parent, gitstore.Commit{
			Author: named(names.Author), Committer: named(names.Committer), Message: message,
		}, files); err != nil {
			return err
		}
		return h.Refs.Push(r, "refs/heads/"+branch, sha, who)
	})
	return sha, err
}

// pushOn commits on top of one branch (the default branch where that one does not exist) and pushes to another.
func (d Developer) pushOn(repo, parentBranch, branch, login, message string, files map[string]*string) (string, error) {
	sha := ""
	err := d.onRepo("push to", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		parent, exists := r.Git().Branch(parentBranch)
		if !exists {
			parent, _ = r.Git().Branch(r.Git().DefaultBranch())
		}
		var err error
		if sha, err = h.Refs.WriteFiles(r, parent, who, message, files); err != nil {
			return err
		}
		return h.Refs.Push(r, "refs/heads/"+branch, sha, who)
	})
	return sha, err
}

// PushEntry commits one file of any mode to a branch as a person's push: 100755 is an executable, 120000 a symbolic
// link to content, 160000 a submodule at the commit content.
func (d Developer) PushEntry(repo, branch, login, path, mode, content string) (string, error) {
	sha := ""
	err := d.onRepo("push to", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		entry := gitstore.Entry{Mode: mode, Name: path, SHA: content}
		if entry.Kind() == gitstore.KindBlob {
			entry.SHA = r.Git().WriteBlob([]byte(content))
		}
		parent, _ := r.Git().Branch(branch)
		tree, err := r.Git().Edit(r.Git().TreeOf(parent), []gitstore.Entry{entry})
		if err != nil {
			return err
		}
		by := h.Refs.Signature(who)
		sha, err = r.Git().WriteCommit(gitstore.Commit{
			Tree: tree, Parents: []string{parent}, Author: by, Committer: by, Message: "Push " + path,
		})
		if err != nil {
			return err
		}
		return h.Refs.Push(r, "refs/heads/"+branch, sha, who)
	})
	return sha, err
}

// CreateBranch points a new branch at a commit, branch or tag.
func (d Developer) CreateBranch(repo, branch, login, at string) error {
	return d.onRepo("create branch in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, found := r.Git().Resolve(at)
		if !found {
			return fmt.Errorf("no commit %s", at)
		}
		return h.Refs.Push(r, "refs/heads/"+branch, sha, who)
	})
}

// DeleteBranch deletes a branch; its open pull requests are closed.
func (d Developer) DeleteBranch(repo, branch, login string) error {
	return d.onRepo("delete branch of", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		return h.Refs.Delete(r, "refs/heads/"+branch, who)
	})
}

// PublishRelease makes a release. If its tag does not exist, it is created at the head of the default branch.
func (d Developer) PublishRelease(repo, login, tag string, prerelease bool) error {
	return d.onRepo("release", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		return h.Releases.Publish(r, &hub.Release{Tag: tag, Name: tag, Author: who, Prerelease: prerelease})
	})
}

// DraftRelease makes a release that stays a draft until EditRelease publishes it.
func (d Developer) DraftRelease(repo, login, tag string) error {
	return d.onRepo("draft a release of", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		return h.Releases.Publish(r, &hub.Release{Tag: tag, Name: tag, Author: who, Draft: true})
	})
}

// EditRelease publishes a draft, or turns a pre-release into a release, or the reverse.
func (d Developer) EditRelease(repo, tag string, prerelease bool) error {
	return d.onOwnRepo("edit a release of", repo, func(h *hub.Hub, r *hub.Repository) error {
		rel, err := r.ReleaseOf(tag)
		if err != nil {
			return err
		}
		return h.Releases.Edit(r, rel, prerelease)
	})
}

// DeleteRelease deletes a release. Its tag stays.
func (d Developer) DeleteRelease(repo, tag string) error {
	return d.onOwnRepo("delete a release of", repo, func(h *hub.Hub, r *hub.Repository) error {
		rel, err := r.ReleaseOf(tag)
		if err != nil {
			return err
		}
		h.Releases.Delete(r, rel)
		return nil
	})
}

// PushTag points a tag at a commit or branch, and moves the tag if it exists.
func (d Developer) PushTag(repo, login, tag, at string) error {
	return d.onRepo("push a tag to", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, found := r.Git().Resolve(at)
		if !found {
			return fmt.Errorf("no commit %s", at)
		}
		return h.Refs.Push(r, "refs/tags/"+tag, sha, who)
	})
}

// Dispatch sends a repository_dispatch, as a workflow with write permission does.
func (d Developer) Dispatch(repo, login, name string, payload map[string]any) error {
	return d.onRepo("dispatch "+name+" from", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		h.Repos.Dispatch(r, name, payload, who)
		return nil
	})
}

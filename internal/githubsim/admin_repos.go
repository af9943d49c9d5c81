package githubsim

import (
	"fmt"
	"strings"

	"waybill/internal/githubsim/hub"
)

// CreateRepo makes a private repository "owner/name" with the files as its first commit on main. An owner that does not
// exist becomes an organization.
func (a Admin) CreateRepo(fullName string, files map[string]string) error {
	return a.act("create repository "+fullName, func(h *hub.Hub) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := h.Repos.Named(fullName); exists || name == "" {
			return fmt.Errorf("the name is taken or malformed")
		}
		a, found := h.Accounts.Find(owner)
		if !found {
			a = h.Accounts.New(owner, hub.KindOrg)
		}
		return h.Repos.New(a, name, files)
	})
}

// SetPublic makes a repository public or private.
func (a Admin) SetPublic(repo string, public bool) error {
	return a.onOwnRepo("set visibility of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.SetPublic(public)
		return nil
	})
}

// SetSettings changes how a repository merges pull requests.
func (a Admin) SetSettings(repo string, settings hub.RepoSettings) error {
	return a.onOwnRepo("change settings of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.Configure(settings, r.Archived)
		return nil
	})
}

// Protect sets the protection of a branch; the zero Protection removes it.
func (a Admin) Protect(repo, branch string, protection hub.Protection) error {
	return a.onOwnRepo("protect "+branch+" of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.Protect(branch, protection)
		return nil
	})
}

// RenameRepo renames a repository or moves it to another owner ("owner/name"). The old name redirects to it.
func (a Admin) RenameRepo(repo, fullName string) error {
	return a.onOwnRepo("rename", repo, func(h *hub.Hub, r *hub.Repository) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := h.Repos.Named(fullName); exists || name == "" {
			return fmt.Errorf("%s is taken or malformed", fullName)
		}
		a, found := h.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no account %s", owner)
		}
		h.Repos.Rename(r, a, name, r.Owner.Ruler())
		return nil
	})
}

// RenameBranch renames a branch. If it is the default branch, it stays that under its new name.
func (a Admin) RenameBranch(repo, from, to string) error {
	return a.onOwnRepo("rename "+from+" of", repo, func(h *hub.Hub, r *hub.Repository) error {
		return h.Repos.RenameBranch(r, from, to, r.Owner.Ruler())
	})
}

// SetDefaultBranch makes another branch of a repository the default branch.
func (a Admin) SetDefaultBranch(repo, branch string) error {
	return a.onOwnRepo("set the default branch of", repo, func(h *hub.Hub, r *hub.Repository) error {
		return h.Repos.SetDefaultBranch(r, branch, r.Owner.Ruler())
	})
}

// ArchiveRepo makes a repository read-only, or ends that.
func (a Admin) ArchiveRepo(repo string, archive bool) error {
	return a.onOwnRepo("archive", repo, func(h *hub.Hub, r *hub.Repository) error {
		h.Repos.Archive(r, archive)
		return nil
	})
}

// DeleteRepo deletes a repository. Pull requests that came from it stay, without a head repository.
func (a Admin) DeleteRepo(repo string) error {
	return a.onOwnRepo("delete", repo, func(h *hub.Hub, r *hub.Repository) error { return h.Repos.Delete(r) })
}

// SetEnvironment makes or removes an environment, as an administrator does on its page. GitHub sends no webhook.
func (a Admin) SetEnvironment(repo, name string, exists bool) error {
	return a.act("set environment "+name+" of "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		h.Deployments.SetEnvironment(r, name, exists)
		return nil
	})
}

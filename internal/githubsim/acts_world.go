package githubsim

import "waybill/internal/githubsim/hub"

import (
	"fmt"
	"strings"
)

// act runs a change by a person under the lock.
func (s *Server) act(what string, change func(w *hub.Hub) error) error {
	s.hub.Lock()
	defer s.hub.Unlock()
	if err := change(s.hub); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// onRepo runs a change of a repository by a person under the lock. An unknown login becomes a user who is a member of every organization.
func (s *Server) onRepo(what, repo, login string, change func(w *hub.Hub, r *hub.Repository, who *hub.Account) error) error {
	return s.act(what+" "+repo, func(w *hub.Hub) error {
		r, found := w.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(w, r, w.Accounts.Person(login))
	})
}

// onOwnRepo runs a change that the owner of a repository makes.
func (s *Server) onOwnRepo(what, repo string, change func(w *hub.Hub, r *hub.Repository) error) error {
	return s.act(what+" "+repo, func(w *hub.Hub) error {
		r, found := w.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(w, r)
	})
}

// CreateRepo makes a private repository "owner/name" with the files as its first commit on main. An owner that does not exist becomes an
// organization.
func (s *Server) CreateRepo(fullName string, files map[string]string) error {
	return s.act("create repository "+fullName, func(w *hub.Hub) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := w.Repos.Find(fullName); exists || name == "" {
			return fmt.Errorf("the name is taken or malformed")
		}
		a, found := w.Accounts.Find(owner)
		if !found {
			a = w.Accounts.New(owner, hub.KindOrg)
		}
		return w.Repos.New(a, name, files)
	})
}

// SetPublic makes a repository public or private.
func (s *Server) SetPublic(repo string, public bool) error {
	return s.onOwnRepo("set visibility of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.SetPublic(public)
		return nil
	})
}

// SetSettings changes how a repository merges pull requests.
func (s *Server) SetSettings(repo string, settings hub.RepoSettings) error {
	return s.onOwnRepo("change settings of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.Configure(settings, r.Archived)
		return nil
	})
}

// Protect sets what a branch demands before a merge; the zero Protection takes it away.
func (s *Server) Protect(repo, branch string, protection hub.Protection) error {
	return s.onOwnRepo("protect "+branch+" of", repo, func(_ *hub.Hub, r *hub.Repository) error {
		r.Protect(branch, protection)
		return nil
	})
}

// RenameRepo renames a repository or moves it to another owner ("owner/name"). The old name keeps leading to it.
func (s *Server) RenameRepo(repo, fullName string) error {
	return s.onOwnRepo("rename", repo, func(w *hub.Hub, r *hub.Repository) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := w.Repos.Named(fullName); exists || name == "" {
			return fmt.Errorf("%s is taken or malformed", fullName)
		}
		a, found := w.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no account %s", owner)
		}
		w.Repos.Rename(r, a, name, r.Owner.Ruler())
		return nil
	})
}

// ArchiveRepo makes a repository read-only, or ends that.
func (s *Server) ArchiveRepo(repo string, archive bool) error {
	return s.onOwnRepo("archive", repo, func(w *hub.Hub, r *hub.Repository) error {
		w.Repos.Archive(r, archive)
		return nil
	})
}

// DeleteRepo deletes a repository. Pull requests that came from it stay, without a head repository.
func (s *Server) DeleteRepo(repo string) error {
	return s.onOwnRepo("delete", repo, func(w *hub.Hub, r *hub.Repository) error { return w.Repos.Delete(r) })
}

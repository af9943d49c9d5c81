package githubsim

import (
	"fmt"
	"path/filepath"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// act runs a change by a person under the lock.
func (s *Server) act(what string, change func(w *world) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := change(s.world); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// onRepo runs a change of a repository by a person under the lock. An unknown login becomes a user who is a member of every organization.
func (s *Server) onRepo(what, repo, login string, change func(w *world, r *repository, who *account) error) error {
	return s.act(what+" "+repo, func(w *world) error {
		r, found := w.repo(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(w, r, w.person(login))
	})
}

// onOwnRepo runs a change that the owner of a repository makes.
func (s *Server) onOwnRepo(what, repo string, change func(w *world, r *repository) error) error {
	return s.act(what+" "+repo, func(w *world) error {
		r, found := w.repo(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(w, r)
	})
}

// CreateRepo makes a private repository "owner/name" with the files as its first commit on main. An owner that does not exist becomes an
// organization.
func (s *Server) CreateRepo(fullName string, files map[string]string) error {
	return s.act("create repository "+fullName, func(w *world) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := w.repo(fullName); exists || name == "" {
			return fmt.Errorf("the name is taken or malformed")
		}
		a, found := w.account(owner)
		if !found {
			a = w.newAccount(owner, kindOrg)
		}
		return w.newRepo(a, name, files)
	})
}

func (w *world) newRepo(owner *account, name string, files map[string]string) error {
	id := w.nextID()
	git := gitstore.New(filepath.Join(w.dir, itoa(id)+".git"), "main")
	if w.sparse {
		git.OmitPatches()
	}
	r := &repository{
		id: id, owner: owner, name: name, private: true, defaultBranch: "main", created: w.now(), pushed: w.now(), git: git,
		collaborators: map[string]string{}, issues: map[int]*issue{}, protections: map[string]Protection{},
	}
	w.repos[lower(r.fullName())] = r
	contents := map[string]*string{}
	for path, content := range files {
		contents[path] = &content
	}
	sha, err := w.writeFiles(r, "", w.webFlowAccount(), "Initial commit", contents)
	if err != nil {
		return err
	}
	if install, found := w.installationOf(r); found && install.all {
		w.emitRepo(r, "repository", "created", owner.ruler(), obj{})
	}
	return r.git.SetRef("refs/heads/main", sha)
}

// SetPublic makes a repository public or private.
func (s *Server) SetPublic(repo string, public bool) error {
	return s.onOwnRepo("set visibility of", repo, func(_ *world, r *repository) error {
		r.private = !public
		return nil
	})
}

// SetSettings changes how a repository merges pull requests.
func (s *Server) SetSettings(repo string, settings RepoSettings) error {
	return s.onOwnRepo("change settings of", repo, func(_ *world, r *repository) error {
		r.settings = settings
		return nil
	})
}

// Protect sets what a branch demands before a merge; the zero Protection takes it away.
func (s *Server) Protect(repo, branch string, protection Protection) error {
	return s.onOwnRepo("protect "+branch+" of", repo, func(_ *world, r *repository) error {
		r.protections[branch] = protection
		if protection.empty() {
			delete(r.protections, branch)
		}
		return nil
	})
}

func (p Protection) empty() bool {
	return len(p.RequiredChecks) == 0 && p.RequiredReviews == 0 && !p.UpToDate && !p.MergeQueue && !p.DismissStale
}

// RenameRepo renames a repository or moves it to another owner ("owner/name"). The old name keeps leading to it.
func (s *Server) RenameRepo(repo, fullName string) error {
	return s.onOwnRepo("rename", repo, func(w *world, r *repository) error {
		owner, name, _ := strings.Cut(fullName, "/")
		if _, exists := w.repos[lower(fullName)]; exists || name == "" {
			return fmt.Errorf("%s is taken or malformed", fullName)
		}
		a, found := w.account(owner)
		if !found {
			return fmt.Errorf("no account %s", owner)
		}
		w.rename(r, a, name, r.owner.ruler())
		return nil
	})
}

func (w *world) rename(r *repository, owner *account, name string, who *account) {
	old, oldName, oldOwner := r.fullName(), r.name, r.owner
	delete(w.repos, lower(old))
	w.moved[lower(old)] = r
	r.owner, r.name = owner, name
	w.repos[lower(r.fullName())] = r
	if oldOwner == owner {
		w.emitRepo(r, "repository", "renamed", who, obj{"changes": obj{"repository": obj{"name": obj{"from": oldName}}}})
		return
	}
	from := obj{"organization": w.organizationJSON(oldOwner)}
	if oldOwner.kind == kindUser {
		from = obj{"user": w.accountJSON(oldOwner)}
	}
	w.emitRepo(r, "repository", "transferred", who, obj{"changes": obj{"owner": obj{"from": from}}})
}

// ArchiveRepo makes a repository read-only, or ends that.
func (s *Server) ArchiveRepo(repo string, archive bool) error {
	return s.onOwnRepo("archive", repo, func(w *world, r *repository) error {
		r.archived = archive
		action := "archived"
		if !archive {
			action = "unarchived"
		}
		w.emitRepo(r, "repository", action, r.owner.ruler(), obj{})
		return nil
	})
}

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

// CreateOrg makes an organization whose members may write to its repositories; see SetBasePermission.
func (s *Server) CreateOrg(login string) error {
	return s.act("create organization "+login, func(w *world) error {
		if _, exists := w.account(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.newAccount(login, kindOrg)
		return nil
	})
}

// CreateUser makes a user who is a member of the given organizations and of no other.
func (s *Server) CreateUser(login string, orgs ...string) error {
	return s.act("create user "+login, func(w *world) error {
		if _, exists := w.account(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.newAccount(login, kindUser)
		for _, name := range orgs {
			org, found := w.account(name)
			if !found || org.kind != kindOrg {
				return fmt.Errorf("no organization %s", name)
			}
			org.members[lower(login)] = true
		}
		return nil
	})
}

// SetBasePermission changes what members may do in the repositories of their organization.
func (s *Server) SetBasePermission(org, level string) error {
	return s.act("set base permission of "+org, func(w *world) error {
		a, found := w.account(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		a.basePermission = level
		return nil
	})
}

// CreateTeam makes a team of an organization, with what it may do by repository ("acme/app": "write") and its members.
func (s *Server) CreateTeam(org, slug string, repos map[string]string, members ...string) error {
	return s.act("create team "+org+"/"+slug, func(w *world) error {
		a, found := w.account(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		t := &team{id: w.nextID(), slug: slug, members: map[string]bool{}, repos: map[string]string{}}
		for name, level := range repos {
			t.repos[lower(name)] = level
		}
		for _, login := range members {
			w.person(login)
			t.members[lower(login)] = true
		}
		a.teams = append(a.teams, t)
		return nil
	})
}

// SetTeamMember puts somebody into a team or takes them out.
func (s *Server) SetTeamMember(org, slug, login string, member bool) error {
	return s.act("change team "+org+"/"+slug, func(w *world) error {
		a, found := w.account(org)
		if !found {
			return fmt.Errorf("no such organization")
		}
		for _, t := range a.teams {
			if t.slug == slug {
				w.person(login)
				t.members[lower(login)] = member
				if !member {
					delete(t.members, lower(login))
				}
				return nil
			}
		}
		return fmt.Errorf("no such team")
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

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None takes everything away.
func (s *Server) SetPermission(repo, login, level string) error {
	return s.onRepo("set permission on", repo, login, func(w *world, r *repository, who *account) error {
		if level != "none" && levelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		r.collaborators[lower(login)] = level
		return nil
	})
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

// InstallApp installs the App under test in an account, for the named repositories or, without names, for all of them, and answers
// the id of the installation.
func (s *Server) InstallApp(owner string, repos ...string) (int64, error) {
	var id int64
	err := s.act("install app in "+owner, func(w *world) error {
		a, found := w.account(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		var chosen []*repository
		for _, name := range repos {
			r, found := w.repo(name)
			if !found {
				return fmt.Errorf("no repository %s", name)
			}
			chosen = append(chosen, r)
		}
		id = w.install(a, chosen, a.ruler()).id
		return nil
	})
	return id, err
}

// UninstallApp takes the App out of an account; its tokens die.
func (s *Server) UninstallApp(owner string) error {
	return s.onInstallation("uninstall app from", owner, func(w *world, i *installation) { w.uninstall(i, i.account.ruler()) })
}

// SuspendApp suspends the App in an account, or ends that.
func (s *Server) SuspendApp(owner string, suspend bool) error {
	return s.onInstallation("suspend app in", owner, func(w *world, i *installation) {
		if suspend {
			w.suspend(i, i.account.ruler())
			return
		}
		w.unsuspend(i, i.account.ruler())
	})
}

func (s *Server) onInstallation(what, owner string, change func(*world, *installation)) error {
	return s.act(what+" "+owner, func(w *world) error {
		a, found := w.account(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		i, found := w.installationFor(a)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		change(w, i)
		return nil
	})
}

// ReachRepo adds a repository to the selected ones of an installation, or takes it away.
func (s *Server) ReachRepo(repo string, reach bool) error {
	return s.onOwnRepo("change installation for", repo, func(w *world, r *repository) error {
		i, found := w.installationFor(r.owner)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		w.reach(i, r, reach, r.owner.ruler())
		return nil
	})
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

package githubsim

import (
	"fmt"
	"path/filepath"
	"slices"
)

// fork finds somebody's fork of a repository or makes it.
func (w *world) fork(r *repository, who *account) *repository {
	if one, found := w.relative(r, who.login); found {
		return one
	}
	id := w.nextID()
	one := &repository{
		id: id, owner: who, name: r.name, private: r.private, defaultBranch: r.defaultBranch, created: w.now(), pushed: w.now(), parent: r,
		git: r.git.Fork(filepath.Join(w.dir, itoa(id)+".git")), collaborators: map[string]string{}, issues: map[int]*issue{},
		protections: map[string]Protection{},
	}
	w.repos[lower(one.fullName())] = one
	return one
}

// relative finds the repository of a network (a repository and its forks) that an account owns.
func (w *world) relative(r *repository, login string) (*repository, bool) {
	for _, one := range w.sortedRepos() {
		if sameLogin(one.owner.login, login) && (one == r || one.parent == r) {
			return one, true
		}
	}
	return nil, false
}

// DeleteRepo deletes a repository. Pull requests that came from it stay, without a head repository.
func (s *Server) DeleteRepo(repo string) error {
	return s.onOwnRepo("delete", repo, func(w *world, r *repository) error {
		if slices.ContainsFunc(w.sortedRepos(), func(one *repository) bool { return one.parent == r }) {
			return fmt.Errorf("it has forks")
		}
		w.emitRepo(r, "repository", "deleted", r.owner.ruler(), obj{})
		for _, base := range w.sortedRepos() {
			for _, i := range base.issues {
				if i.pull != nil && i.pull.from == r {
					i.pull.from = nil
				}
			}
		}
		delete(w.repos, lower(r.fullName()))
		return nil
	})
}

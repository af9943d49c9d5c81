package githubsim

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"waybill/internal/githubsim/gitstore"
)

// Repos are the repositories, by the names they have and those they had.
type Repos struct {
	clock    *Clock
	accounts *Accounts
	apps     *Apps
	events   *Events
	refs     *Refs
	dir      string
	sparse   bool                   // nobody looks at patches
	byName   map[string]*repository // by full name in lower case
	moved    map[string]*repository // by former full name in lower case
}

// Find finds a repository by "owner/name", also by a name it had before.
func (rs *Repos) Find(fullName string) (*repository, bool) {
	if r, ok := rs.Named(fullName); ok {
		return r, true
	}
	r, ok := rs.moved[strings.ToLower(fullName)]
	return r, ok
}

// Named finds a repository by the name it has now.
func (rs *Repos) Named(fullName string) (*repository, bool) {
	r, ok := rs.byName[strings.ToLower(fullName)]
	return r, ok
}

// Sorted lists the repositories by id, oldest first.
func (rs *Repos) Sorted() []*repository {
	all := make([]*repository, 0, len(rs.byName))
	for _, r := range rs.byName {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].id < all[j].id })
	return all
}

// New makes a private repository with files as its first commit on main.
func (rs *Repos) New(owner *account, name string, files map[string]string) error {
	id := rs.clock.NextID()
	git := gitstore.New(filepath.Join(rs.dir, strconv.FormatInt(id, 10)+".git"), "main")
	if rs.sparse {
		git.OmitPatches()
	}
	r := &repository{
		id: id, owner: owner, name: name, private: true, created: rs.clock.Now(), pushed: rs.clock.Now(), git: git,
		collaborators: map[string]string{}, Board: Board{issues: map[int]*issue{}}, Rules: Rules{protections: map[string]Protection{}},
	}
	rs.byName[strings.ToLower(r.fullName())] = r
	contents := map[string]*string{}
	for path, content := range files {
		contents[path] = &content
	}
	sha, err := rs.refs.WriteFiles(r, "", rs.accounts.WebFlow(), "Initial commit", contents)
	if err != nil {
		return err
	}
	if install, found := rs.apps.InstallationOf(r); found && install.all {
		rs.events.OfRepo(r, "repository", "created", owner.ruler(), nil, nil)
	}
	return r.git.SetRef("refs/heads/main", sha)
}

// Rename renames a repository, or moves it to another owner. The old name keeps leading to it.
func (rs *Repos) Rename(r *repository, owner *account, name string, who *account) {
	old, oldName, oldOwner := r.fullName(), r.name, r.owner
	delete(rs.byName, strings.ToLower(old))
	rs.moved[strings.ToLower(old)] = r
	r.owner, r.name = owner, name
	rs.byName[strings.ToLower(r.fullName())] = r
	if oldOwner == owner {
		rs.events.OfRepo(r, "repository", "renamed", who, nil, Fields{"changes": Fields{"repository": Fields{"name": Fields{"from": oldName}}}})
		return
	}
	rs.events.OfRepo(r, "repository", "transferred", who, Transfer{From: oldOwner}, nil)
}

// Archive makes a repository read-only, or ends that.
func (rs *Repos) Archive(r *repository, archive bool) {
	r.archived = archive
	action := "archived"
	if !archive {
		action = "unarchived"
	}
	rs.events.OfRepo(r, "repository", action, r.owner.ruler(), nil, nil)
}

// Delete deletes a repository that has no forks. Pull requests that came from it stay, without a head repository.
func (rs *Repos) Delete(r *repository) error {
	if slices.ContainsFunc(rs.Sorted(), func(one *repository) bool { return one.parent == r }) {
		return fmt.Errorf("it has forks")
	}
	rs.events.OfRepo(r, "repository", "deleted", r.owner.ruler(), nil, nil)
	for _, base := range rs.Sorted() {
		for _, i := range base.issues {
			if i.pull != nil && i.pull.from == r {
				i.pull.from = nil
			}
		}
	}
	delete(rs.byName, strings.ToLower(r.fullName()))
	return nil
}

// Fork finds somebody's fork of a repository or makes it.
func (rs *Repos) Fork(r *repository, who *account) *repository {
	if one, found := rs.Relative(r, who.login); found {
		return one
	}
	id := rs.clock.NextID()
	one := &repository{
		id: id, owner: who, name: r.name, private: r.private, created: rs.clock.Now(), pushed: rs.clock.Now(), parent: r,
		git: r.git.Fork(filepath.Join(rs.dir, strconv.FormatInt(id, 10)+".git")), collaborators: map[string]string{}, Board: Board{issues: map[int]*issue{}},
		Rules: Rules{protections: map[string]Protection{}},
	}
	rs.byName[strings.ToLower(one.fullName())] = one
	return one
}

// Relative finds the repository of a network (a repository and its forks) that an account owns.
func (rs *Repos) Relative(r *repository, login string) (*repository, bool) {
	for _, one := range rs.Sorted() {
		if strings.EqualFold(one.owner.login, login) && (one == r || one.parent == r) {
			return one, true
		}
	}
	return nil, false
}

// ReachedBy lists the repositories an installation reaches, oldest first.
func (rs *Repos) ReachedBy(i *installation) []*repository {
	var reached []*repository
	for _, r := range rs.Sorted() {
		if i.covers(r) {
			reached = append(reached, r)
		}
	}
	return reached
}

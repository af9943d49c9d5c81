package githubsim

import (
	"path/filepath"
	"sort"
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
	r, ok := rs.moved[lower(fullName)]
	return r, ok
}

// Named finds a repository by the name it has now.
func (rs *Repos) Named(fullName string) (*repository, bool) {
	r, ok := rs.byName[lower(fullName)]
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
	git := gitstore.New(filepath.Join(rs.dir, itoa(id)+".git"), "main")
	if rs.sparse {
		git.OmitPatches()
	}
	r := &repository{
		id: id, owner: owner, name: name, private: true, defaultBranch: "main", created: rs.clock.Now(), pushed: rs.clock.Now(), git: git,
		collaborators: map[string]string{}, issues: map[int]*issue{}, protections: map[string]Protection{},
	}
	rs.byName[lower(r.fullName())] = r
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
	delete(rs.byName, lower(old))
	rs.moved[lower(old)] = r
	r.owner, r.name = owner, name
	rs.byName[lower(r.fullName())] = r
	if oldOwner == owner {
		rs.events.OfRepo(r, "repository", "renamed", who, nil, Fields{"changes": Fields{"repository": Fields{"name": Fields{"from": oldName}}}})
		return
	}
	rs.events.OfRepo(r, "repository", "transferred", who, Transfer{From: oldOwner}, nil)
}

// Delete deletes a repository. Pull requests that came from it stay, without a head repository.
func (rs *Repos) Delete(r *repository) {
	for _, base := range rs.Sorted() {
		for _, i := range base.issues {
			if i.pull != nil && i.pull.from == r {
				i.pull.from = nil
			}
		}
	}
	delete(rs.byName, lower(r.fullName()))
}

// Fork finds somebody's fork of a repository or makes it.
func (rs *Repos) Fork(r *repository, who *account) *repository {
	if one, found := rs.Relative(r, who.login); found {
		return one
	}
	id := rs.clock.NextID()
	one := &repository{
		id: id, owner: who, name: r.name, private: r.private, defaultBranch: r.defaultBranch, created: rs.clock.Now(), pushed: rs.clock.Now(), parent: r,
		git: r.git.Fork(filepath.Join(rs.dir, itoa(id)+".git")), collaborators: map[string]string{}, issues: map[int]*issue{},
		protections: map[string]Protection{},
	}
	rs.byName[lower(one.fullName())] = one
	return one
}

// Relative finds the repository of a network (a repository and its forks) that an account owns.
func (rs *Repos) Relative(r *repository, login string) (*repository, bool) {
	for _, one := range rs.Sorted() {
		if sameLogin(one.owner.login, login) && (one == r || one.parent == r) {
			return one, true
		}
	}
	return nil, false
}

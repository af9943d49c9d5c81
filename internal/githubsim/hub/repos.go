package hub

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// Repos holds the repositories, by their current and former names.
type Repos struct {
	clock    *Clock
	accounts *Accounts
	apps     *Apps
	events   *Events
	refs     *Refs
	dir      string
	sparse   bool                   // patches are left out
	byName   map[string]*Repository // by full name in lower case
	moved    map[string]*Repository // by former full name in lower case
}

// Find finds a repository by "owner/name", also by a former name.
func (rs *Repos) Find(fullName string) (*Repository, bool) {
	if r, ok := rs.Named(fullName); ok {
		return r, true
	}
	r, ok := rs.moved[strings.ToLower(fullName)]
	return r, ok
}

// Named finds a repository by its current name.
func (rs *Repos) Named(fullName string) (*Repository, bool) {
	r, ok := rs.byName[strings.ToLower(fullName)]
	return r, ok
}

// Sorted lists the repositories by id, oldest first.
func (rs *Repos) Sorted() []*Repository {
	all := make([]*Repository, 0, len(rs.byName))
	for _, r := range rs.byName {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

// New makes a private repository with files as its first commit on main.
func (rs *Repos) New(owner *Account, name string, files map[string]string) error {
	id := rs.clock.NextID()
	git := gitstore.New(filepath.Join(rs.dir, strconv.FormatInt(id, 10)+".git"), "main")
	if rs.sparse {
		git.OmitPatches()
	}
	r := &Repository{
		ID: id, Owner: owner, Name: name, Private: true, Created: rs.clock.Now(), Pushed: rs.clock.Now(), git: git,
		Collaborators: map[string]string{}, Board: Board{Issues: map[int]*Issue{}},
		Rules: Rules{Protections: map[string]Protection{}},
	}
	rs.byName[strings.ToLower(r.FullName())] = r
	contents := map[string]*string{}
	for path, content := range files {
		contents[path] = &content
	}
	sha, err := rs.refs.WriteFiles(r, "", rs.accounts.WebFlow(), "Initial commit", contents)
	if err != nil {
		return err
	}
	if install, found := rs.apps.InstallationOf(r); found && install.All {
		rs.events.OfRepo(r, "repository", "created", owner.Ruler(), nil, nil)
	}
	return r.git.SetRef("refs/heads/main", sha)
}

// Rename renames a repository, or moves it to another owner. The old name redirects to it.
func (rs *Repos) Rename(r *Repository, owner *Account, name string, who *Account) {
	old, oldName, oldOwner := r.FullName(), r.Name, r.Owner
	delete(rs.byName, strings.ToLower(old))
	rs.moved[strings.ToLower(old)] = r
	r.Owner, r.Name = owner, name
	rs.byName[strings.ToLower(r.FullName())] = r
	if oldOwner == owner {
		rs.events.OfRepo(r, "repository", "renamed", who, nil,
			Fields{"changes": Fields{"repository": Fields{"name": Fields{"from": oldName}}}})
		return
	}
	rs.events.OfRepo(r, "repository", "transferred", who, Transfer{From: oldOwner}, nil)
}

// Archive makes a repository read-only, or writable again.
func (rs *Repos) Archive(r *Repository, archive bool) {
	r.Archived = archive
	action := "archived"
	if !archive {
		action = "unarchived"
	}
	rs.events.OfRepo(r, "repository", action, r.Owner.Ruler(), nil, nil)
}

// Dispatch sends a repository_dispatch under the sender's name for it.
func (rs *Repos) Dispatch(r *Repository, name string, payload Fields, who *Account) {
	with := Fields{"branch": r.git.DefaultBranch(), "client_payload": payload}
	rs.events.OfRepo(r, "repository_dispatch", name, who, nil, with)
}

// Delete deletes a repository that has no forks. Pull requests that came from it stay, without a head repository.
func (rs *Repos) Delete(r *Repository) error {
	if slices.ContainsFunc(rs.Sorted(), func(one *Repository) bool { return one.Parent == r }) {
		return fmt.Errorf("it has forks")
	}
	rs.events.OfRepo(r, "repository", "deleted", r.Owner.Ruler(), nil, nil)
	for _, base := range rs.Sorted() {
		for _, i := range base.Issues {
			if i.Pull != nil && i.Pull.From == r {
				i.Pull.From = nil
			}
		}
	}
	delete(rs.byName, strings.ToLower(r.FullName()))
	return nil
}

// Fork returns an account's fork of a repository, and creates a missing one.
func (rs *Repos) Fork(r *Repository, who *Account) *Repository {
	if one, found := rs.Relative(r, who.Login); found {
		return one
	}
	id := rs.clock.NextID()
	one := &Repository{
		ID: id, Owner: who, Name: r.Name, Private: r.Private, Created: rs.clock.Now(), Pushed: rs.clock.Now(), Parent: r,
		git: r.git.Fork(filepath.Join(rs.dir, strconv.FormatInt(id, 10)+".git")), Collaborators: map[string]string{},
		Board: Board{Issues: map[int]*Issue{}},
		Rules: Rules{Protections: map[string]Protection{}},
	}
	rs.byName[strings.ToLower(one.FullName())] = one
	return one
}

// Relative finds an account's repository in a network (a repository and its forks).
func (rs *Repos) Relative(r *Repository, login string) (*Repository, bool) {
	for _, one := range rs.Sorted() {
		if strings.EqualFold(one.Owner.Login, login) && (one == r || one.Parent == r) {
			return one, true
		}
	}
	return nil, false
}

// ReachedBy lists the repositories that an installation can access, oldest first.
func (rs *Repos) ReachedBy(i *Installation) []*Repository {
	var reached []*Repository
	for _, r := range rs.Sorted() {
		if i.covers(r) {
			reached = append(reached, r)
		}
	}
	return reached
}

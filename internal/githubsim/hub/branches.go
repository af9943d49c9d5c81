package hub

import (
	"fmt"
	"strings"
)

// RenameBranch gives a branch another name. Its protection and the open pull requests into it go along; those from it
// are closed. What looks like a new branch and the end of the old one is told as such.
func (rs *Repos) RenameBranch(r *Repository, from, to string, who *Account) error {
	sha, exists := r.git.Branch(from)
	if _, taken := r.git.Branch(to); !exists || taken {
		return fmt.Errorf("rename %s to %s: there is no such branch, or the name is taken", from, to)
	}
	if protection, protected := r.Protections[from]; protected {
		r.Protect(to, protection)
		r.Protect(from, Protection{})
	}
	if err := rs.refs.Push(r, "refs/heads/"+to, sha, who); err != nil {
		return err
	}
	if from == r.git.DefaultBranch() {
		if err := rs.SetDefaultBranch(r, to, who); err != nil {
			return err
		}
	}
	if err := rs.refs.renamed(r, from, to, who); err != nil {
		return err
	}
	return rs.refs.Delete(r, "refs/heads/"+from, who)
}

// SetDefaultBranch makes another branch the default branch. Pull requests stay where they are.
func (rs *Repos) SetDefaultBranch(r *Repository, branch string, who *Account) error {
	was := r.git.DefaultBranch()
	if _, exists := r.git.Branch(branch); !exists || strings.EqualFold(was, branch) {
		return fmt.Errorf("there is no other branch %s", branch)
	}
	r.git.SetDefaultBranch(branch)
	rs.events.OfRepo(r, "repository", "edited", who, nil,
		Fields{"changes": Fields{"default_branch": Fields{"from": was}}})
	return nil
}

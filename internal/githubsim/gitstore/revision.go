package gitstore

import (
	"fmt"
	"strings"
	"time"
)

// DefaultBranch is the branch of HEAD.
func (r *Repo) DefaultBranch() string { return r.branch }

// SetDefaultBranch points HEAD at a branch.
func (r *Repo) SetDefaultBranch(branch string) { r.branch = branch }

// Resolve finds the commit that a branch, tag, full reference or SHA names.
func (r *Repo) Resolve(ref string) (sha string, ok bool) {
	for _, name := range []string{"refs/heads/" + ref, "refs/tags/" + ref, "refs/" + ref, ref} {
		if sha, ok := r.Ref(name); ok {
			return sha, true
		}
	}
	if ref == "HEAD" {
		return r.Branch(r.branch)
	}
	if r.Has(KindCommit, ref) {
		return ref, true
	}
	return "", false
}

// TreeOf returns the tree of a commit that is known to exist.
func (r *Repo) TreeOf(commit string) string {
	c, err := r.Commit(commit)
	if err != nil {
		return ""
	}
	return c.Tree
}

// shortest is the length of an abbreviated SHA.
const shortest = 7

// Unabbreviated is like Resolve, but also accepts the beginning of a SHA, which the APIs do not.
func (r *Repo) Unabbreviated(ref string) (sha string) {
	if sha, found := r.Resolve(ref); found || len(ref) < shortest {
		return sha
	}
	for _, branch := range r.Refs("refs/heads/") {
		head, _ := r.Ref(branch)
		for _, c := range r.Log(head) {
			if strings.HasPrefix(c.SHA, ref) {
				return c.SHA
			}
		}
	}
	return ""
}

// CommitNamed returns the commit with the given name, or an error if there is no such commit.
func (r *Repo) CommitNamed(ref string) (string, error) {
	sha, found := r.Resolve(ref)
	if !found || !r.Has(KindCommit, sha) {
		return "", fmt.Errorf("no commit %s", ref)
	}
	return sha, nil
}

// TextOf returns a file of a commit, or nil if it does not exist.
func (r *Repo) TextOf(sha, path string) *string {
	entry, err := r.Lookup(r.TreeOf(sha), path)
	if err != nil {
		return nil
	}
	content, err := r.Blob(entry.SHA)
	if err != nil {
		return nil
	}
	text := string(content)
	return &text
}

// Touches reports whether a commit changed a path or something below it; every commit touches the empty path.
func (r *Repo) Touches(c Commit, path string) bool {
	if path == "" {
		return true
	}
	now, _ := r.Lookup(c.Tree, path)
	if len(c.Parents) == 0 {
		return now.SHA != ""
	}
	before, _ := r.Lookup(r.TreeOf(c.Parents[0]), path)
	return now.SHA != before.SHA
}

// contains reports whether a commit is reachable from a branch.
func (r *Repo) contains(branch, sha string) bool {
	head, exists := r.Branch(branch)
	return exists && r.Has(KindCommit, sha) && r.IsAncestor(sha, head)
}

// BranchesWith lists the branches that contain a commit.
func (r *Repo) BranchesWith(sha string) []string {
	var names []string
	for _, ref := range r.Refs("refs/heads/") {
		name := strings.TrimPrefix(ref, "refs/heads/")
		if r.contains(name, sha) {
			names = append(names, name)
		}
	}
	return names
}

// BranchOf returns a branch whose head is the commit. It prefers the default branch.
func (r *Repo) BranchOf(sha string) string {
	if head, _ := r.Branch(r.branch); head == sha {
		return r.branch
	}
	for _, ref := range r.Refs("refs/heads/") {
		if head, _ := r.Ref(ref); head == sha {
			return strings.TrimPrefix(ref, "refs/heads/")
		}
	}
	return ""
}

// Committed returns the date of the commit that a reference names.
func (r *Repo) Committed(ref string) time.Time {
	sha, _ := r.Ref(ref)
	c, err := r.Commit(sha)
	if err != nil {
		return time.Time{}
	}
	return c.Committer.When
}

// Brought lists the commits that a push added. For a new branch, these are the commits that the default branch does not
// have.
func (r *Repo) Brought(ref, before, after string) []Commit {
	if before != Zero {
		return r.Between(before, after)
	}
	if main, found := r.Branch(r.branch); found && ref != "refs/heads/"+r.branch {
		return r.Between(main, after)
	}
	return nil
}

// BaseOf returns the newest common ancestor of a and b, or a if they have none.
func (r *Repo) BaseOf(a, b string) string {
	if base, found := r.MergeBase(a, b); found {
		return base
	}
	return a
}

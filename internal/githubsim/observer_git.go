package githubsim

import (
	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
)

// Commit is a commit of Git.
type Commit = gitstore.Commit

// FileChange is one file that a commit or pull request changes, with its patch.
type FileChange = gitstore.FileChange

// Commits lists the history of a branch, tag or commit, newest first.
func (o Observer) Commits(repo, ref string) []Commit {
	var commits []Commit
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		if sha, found := r.Git().Resolve(ref); found {
			commits = r.Git().Log(sha)
		}
	})
	return commits
}

// Commit finds a commit by branch, tag, SHA or an abbreviated SHA.
func (o Observer) Commit(repo, ref string) (c Commit, found bool) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		var err error
		c, err = r.Git().Commit(r.Git().Unabbreviated(ref))
		found = err == nil
	})
	return c, found
}

// CommitChanges lists the files that a commit changes against its first parent; none for a root commit.
func (o Observer) CommitChanges(repo, sha string) (changes []FileChange, err error) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		c, found := r.Git().Commit(sha)
		if found == nil && len(c.Parents) > 0 {
			changes, err = r.Git().Patches(c.Parents[0], sha)
		}
	})
	return changes, err
}

// PullChanges lists the files that a pull request changes, against the merge base as GitHub does.
func (o Observer) PullChanges(repo string, number int) (changes []FileChange, err error) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		p, missing := r.FindPull(number)
		if missing == nil {
			changes, err = r.Git().Patches(r.Git().BaseOf(p.BaseSHA, p.HeadSHA), p.HeadSHA)
		}
	})
	return changes, err
}

// PullCommits lists the commits of a pull request, oldest first.
func (o Observer) PullCommits(repo string, number int) []Commit {
	var commits []Commit
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		if p, missing := r.FindPull(number); missing == nil {
			commits = r.HeadCommits(p)
		}
	})
	return commits
}

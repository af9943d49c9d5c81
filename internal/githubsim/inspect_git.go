package githubsim

import (
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// Commit is a commit as Git has it.
type Commit = gitstore.Commit

// FileChange is one file that a commit or pull request changes, with its patch.
type FileChange = gitstore.FileChange

// Commits lists the commits that lead to a branch, tag or commit, newest first.
func (s *Server) Commits(repo, ref string) []Commit {
	var commits []Commit
	s.read(repo, func(_ *Hub, r *repository) {
		if sha, found := r.resolve(ref); found {
			commits = r.git.Log(sha)
		}
	})
	return commits
}

// Commit finds a commit by branch, tag, SHA or, as people write it, the beginning of a SHA.
func (s *Server) Commit(repo, ref string) (c Commit, found bool) {
	s.read(repo, func(_ *Hub, r *repository) {
		var err error
		c, err = r.git.Commit(r.unabbreviated(ref))
		found = err == nil
	})
	return c, found
}

// shortest is how much of a SHA people write.
const shortest = 7

// unabbreviated resolves what people name a commit by; the APIs do not take the beginning of a SHA.
func (r *repository) unabbreviated(ref string) (sha string) {
	if sha, found := r.resolve(ref); found || len(ref) < shortest {
		return sha
	}
	for _, branch := range r.git.Refs("refs/heads/") {
		head, _ := r.git.Ref(branch)
		for _, c := range r.git.Log(head) {
			if strings.HasPrefix(c.SHA, ref) {
				return c.SHA
			}
		}
	}
	return ""
}

// CommitChanges lists the files that a commit changes against its first parent; none for a first commit.
func (s *Server) CommitChanges(repo, sha string) (changes []FileChange, err error) {
	s.read(repo, func(_ *Hub, r *repository) {
		c, found := r.git.Commit(sha)
		if found == nil && len(c.Parents) > 0 {
			changes, err = r.git.Patches(c.Parents[0], sha)
		}
	})
	return changes, err
}

// PullChanges lists the files that a pull request changes, against the merge base as GitHub does.
func (s *Server) PullChanges(repo string, number int) (changes []FileChange, err error) {
	s.read(repo, func(_ *Hub, r *repository) {
		p, missing := r.findPull(number)
		if missing == nil {
			changes, err = r.git.Patches(mergeBaseOr(r, p.baseSHA, p.headSHA), p.headSHA)
		}
	})
	return changes, err
}

// PullCommits lists the commits of a pull request, oldest first.
func (s *Server) PullCommits(repo string, number int) []Commit {
	var commits []Commit
	s.read(repo, func(_ *Hub, r *repository) {
		if p, missing := r.findPull(number); missing == nil {
			commits = r.headCommits(p)
		}
	})
	return commits
}

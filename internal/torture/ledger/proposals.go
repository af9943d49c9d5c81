package ledger

import (
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Proposals are the pull requests of people into the branch of the stages, those of a stranger included. Some change
// files of stages.
type Proposals struct {
	github *githubsim.Server
	remote *Remote

	Proposed []int               // ann's that were open for a while
	heads    []string            // the commits of all that somebody has proposed, in that order
	touched  map[string][]string // the files that each of them would change
	authors  map[string][]string // who has proposed each of them
	of       map[int][]string    // those of each pull request
}

// Jobs are the jobs that deploy into environments of stages.
type Jobs struct {
	Deploying []Deploying
}

// Deploying is a job that waits before a stage's environment, or has waited there.
type Deploying struct {
	Repo                       string
	Run                        int64
	Stage, Target, Environment string
}

// Look remembers the commits that are proposed now, and which files each of them would change.
func (l *Proposals) Look() {
	for _, p := range l.Open() {
		if _, known := l.touched[p.HeadSHA]; !known {
			l.heads = append(l.heads, p.HeadSHA)
			l.touched[p.HeadSHA] = l.remote.PathsOf(p)
		}
		if !slices.Contains(l.of[p.Number], p.HeadSHA) {
			l.of[p.Number] = append(l.of[p.Number], p.HeadSHA)
		}
		if !slices.Contains(l.authors[p.HeadSHA], p.Author) {
			l.authors[p.HeadSHA] = append(l.authors[p.HeadSHA], p.Author)
		}
	}
}

// Open lists the open pull requests of people into the branch of the stages.
func (l *Proposals) Open() []githubsim.Pull {
	return slices.DeleteFunc(l.all(), func(p githubsim.Pull) bool { return p.State != "open" || GoesTo(p) != shape.Here })
}

// all lists the pull requests of people in the repository of the stages.
func (l *Proposals) all() []githubsim.Pull {
	return slices.DeleteFunc(l.github.Pulls(shape.Home), IsOurs)
}

// Foreign lists the pull requests of the stranger.
func (l *Proposals) Foreign() []githubsim.Pull {
	return slices.DeleteFunc(l.all(), func(p githubsim.Pull) bool { return p.Author != Stranger })
}

// CameWithAnother reports whether the commit of a pull request has come to the branch by the merge of another one, or
// by a push to a branch that a person proposes. Then GitHub says by itself that the first is merged.
func (l *Proposals) CameWithAnother(p githubsim.Pull) bool {
	is := func(c githubsim.Commit) bool { return c.SHA == p.HeadSHA }
	if GoesTo(p) != shape.Here && slices.ContainsFunc(l.github.Commits(shape.Home, p.BaseBranch), is) {
		return true
	}
	return slices.ContainsFunc(l.github.Pulls(shape.Home), func(q githubsim.Pull) bool {
		return q.Number != p.Number && q.HeadSHA == p.HeadSHA && q.State == "merged" && q.Author != Stranger
	})
}

// Heads lists the commits that people have proposed so far, but for those that were merged, and those of pull requests
// of Waybill's own.
func (l *Proposals) Heads() []string {
	not := map[string]bool{}
	for _, p := range l.github.Pulls(shape.Home) {
		if IsOurs(p) || p.State == "merged" {
			not[p.HeadSHA] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(l.heads), func(sha string) bool { return not[sha] })
}

// Proposes returns the open pull requests of people that propose a commit.
func (l *Proposals) Proposes(sha string) []githubsim.Pull {
	return slices.DeleteFunc(l.Open(), func(p githubsim.Pull) bool { return p.HeadSHA != sha })
}

// Guards reports whether a commit that was proposed changes files that a stage guards.
func (l *Proposals) Guards(s *shape.Stage, sha string) bool {
	return s.Guard && !s.Passes && slices.ContainsFunc(l.touched[sha], s.Writes)
}

// Ours returns the heads of the open pull requests of Waybill's, whose checks tell of these.
func (l *Proposals) Ours() map[string]bool {
	heads := map[string]bool{}
	for _, p := range l.github.Pulls(shape.Home) {
		if IsOurs(p) && p.State == "open" {
			heads[p.HeadSHA] = true
		}
	}
	return heads
}

// HeadsOf lists the commits that a pull request has proposed so far.
func (l *Proposals) HeadsOf(number int) []string { return l.of[number] }

// All lists the commits that people have proposed so far.
func (l *Proposals) All() []string { return l.heads }

// Authors returns who has proposed a commit so far.
func (l *Proposals) Authors(sha string) []string { return l.authors[sha] }

// mostListed is of how many files of a pull request GitHub tells.
const mostListed = 3000

// Former lists the commits that a pull request has proposed before, or has come back to.
func (l *Proposals) Former(p githubsim.Pull) []string {
	return slices.DeleteFunc(slices.Clone(l.of[p.Number]), func(sha string) bool { return sha == p.HeadSHA })
}

// Unlisted reports whether GitHub does not tell all files that a commit changes.
func (l *Proposals) Unlisted(sha string) bool { return len(l.touched[sha]) >= mostListed }

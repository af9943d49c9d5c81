package handlers

import (
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// ourFiles begins the paths of our files on the default branch of a home repository, and of what people take for them.
const ourFiles = ".github/waybill"

// GitHub lists at most 2,048 commits of a push, older GitHub Enterprise Servers 20.
const (
	maxCommits    = 2048
	maxCommitsOld = 20
)

// push decodes a move of a branch.
func (us Self) push(e *github.PushEvent) (Told, error) {
	r := e.GetRepo()
	if r.GetFullName() == "" || r.GetID() == 0 || e.GetRef() == "" || e.GetAfter() == "" {
		return Told{}, incomplete("push")
	}
	f := us.about(&github.Repository{
		ID: r.ID, FullName: r.FullName, DefaultBranch: r.DefaultBranch, Owner: r.Owner,
	}, e.Installation, e.Sender)
	branch, is := strings.CutPrefix(e.GetRef(), "refs/heads/")
	switch {
	case !is:
		if tag := taggedBy(e); tag != "" {
			f.tell(&TagPushed{tag})
		}
		return f, nil
	case e.GetDeleted():
		return f, nil
	}
	p := &Push{Push: promotion.Push{
		Repo:   f.Repo,
		Branch: branch,
		Before: promotion.SHA(e.GetBefore()),
		After:  promotion.SHA(e.GetAfter()),
		At:     at(r.PushedAt), // the dates of commits are their authors' choice
		Paths: pathsOf(e.Commits,
			func(c *github.HeadCommit) []string { return slices.Concat(c.Added, c.Modified, c.Removed) }),
	}, PathsUnknown: !allListed(e)}
	if branch == f.DefaultBranch {
		p.OnDefault = p.Paths
		p.Moved = pathsOf(e.Commits, func(c *github.HeadCommit) []string { return slices.Concat(c.Added, c.Removed) })
	}
	p.ConfigTouched = branch == f.DefaultBranch &&
		(p.PathsUnknown || slices.ContainsFunc(p.Paths, definesPipeline))
	f.tell(p)
	if !f.Ours { // a push of ours lets none of our pull requests be merged that could not be merged before
		f.tell(&Bump{Branch: branch})
	}
	return f, nil
}

// definesPipeline reports whether a file may define a pipeline.
func definesPipeline(path string) bool {
	return strings.HasPrefix(path, ourFiles)
}

// allListed reports whether the commits of a push tell everything that it changed. They do not when there are too many,
// and not when it took commits away: those are not among them.
func allListed(e *github.PushEvent) bool {
	n := len(e.Commits)
	if e.GetForced() || e.GetCreated() || n == 0 || n == maxCommitsOld || n >= maxCommits {
		return false
	}
	return slices.ContainsFunc(e.Commits, func(c *github.HeadCommit) bool { return c.GetID() == e.GetAfter() })
}

// pathsOf returns some paths of all commits, sorted, each once.
func pathsOf(commits []*github.HeadCommit, some func(*github.HeadCommit) []string) []string {
	var paths []string
	for _, c := range commits {
		if c != nil {
			paths = append(paths, some(c)...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

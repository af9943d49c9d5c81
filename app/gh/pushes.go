package gh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

const (
	// mostPushes is how many commits are looked at in one call; each of them costs a request.
	mostPushes = 100
	// mostCompared is where GitHub stops listing the files of a comparison or a commit.
	mostCompared = 300
)

// Pushes tells how a branch came from a commit to where it is, one step for each commit that was ever its first parent,
// the oldest first: what webhooks would have told. After 100 steps it stops; the caller goes on from the last one. It is
// empty if the branch is where it was, or no longer contains the commit.
func (c *Client) Pushes(ctx context.Context, branch string, since promotion.SHA) ([]promotion.Push, error) {
	chain, err := c.chain(ctx, branch, since)
	if err != nil {
		return nil, c.wrong(err, "follow %s from %s", branch, since)
	}
	pushes := make([]promotion.Push, 0, min(len(chain), mostPushes))
	before := since
	for _, commit := range chain[:min(len(chain), mostPushes)] {
		after := promotion.SHA(commit.GetSHA())
		paths, err := c.ChangedPaths(ctx, before, after)
		if err != nil {
			return nil, err
		}
		pushes = append(pushes, promotion.Push{
			Repo: c.repo, Branch: branch, Before: before, After: after, At: commit.GetCommit().GetCommitter().GetDate().UTC(), Paths: paths,
		})
		before = after
	}
	return pushes, nil
}

// chain lists the first parents between a commit and the head of a branch, the oldest first.
func (c *Client) chain(ctx context.Context, branch string, since promotion.SHA) ([]*github.RepositoryCommit, error) {
	commits := map[string]*github.RepositoryCommit{}
	head := ""
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Repositories.CompareCommits(ctx, c.owner, c.name, string(since), branch, page)
		if err != nil {
			return nil, err
		}
		for _, one := range some.Commits {
			commits[one.GetSHA()] = one
			head = one.GetSHA() // they come oldest first: the last one is the head
		}
		return response, nil
	})
	if err != nil {
		return nil, err
	}
	var chain []*github.RepositoryCommit
	for sha := head; sha != string(since); {
		commit, ok := commits[sha]
		if !ok || len(commit.Parents) == 0 {
			return nil, nil // it has not moved, was rewritten, or the commit came in by a merge and never was its head
		}
		chain = append(chain, commit)
		delete(commits, sha) // a history that came back to it would have no end
		sha = commit.Parents[0].GetSHA()
	}
	slices.Reverse(chain)
	return chain, nil
}

// ChangedPaths lists every path that differs between two commits, in any order of time. What is too large to be listed
// is an error: a path that is left out would let a foreign signal count. The answer never changes and is remembered.
func (c *Client) ChangedPaths(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	key := fmt.Sprintf("%d %s %s %s", c.installation.id, c.repo, before, after)
	if paths, known := c.hub.changes.Get(key); known {
		return slices.Clone(paths), nil
	}
	paths, err := c.compare(ctx, before, after)
	if err != nil {
		return nil, c.wrong(err, "compare %s with %s", before, after)
	}
	if len(paths) <= mostCompared {
		c.hub.changes.Add(key, slices.Clone(paths))
	}
	return paths, nil
}

func (c *Client) compare(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	compared, _, err := c.rest.Repositories.CompareCommits(ctx, c.owner, c.name, string(before), string(after), &github.ListOptions{PerPage: 1})
	follows := compared.GetStatus() == "ahead" || compared.GetStatus() == "identical"
	if err == nil && follows && len(compared.Files) < mostCompared {
		paths := touched(compared.Files)
		slices.Sort(paths)
		return slices.Compact(paths), nil
	}
	if err = classify(err); err != nil && !errors.Is(err, ErrNotFound) { // which is said of commits without a common past, too
		return nil, err
	}
	return c.differing(ctx, before, after)
}

// differing compares two whole trees, for commits that do not follow each other or have too much between them.
func (c *Client) differing(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	was, err := c.listing(ctx, before)
	if err != nil {
		return nil, err
	}
	is, err := c.listing(ctx, after)
	if err != nil {
		return nil, err
	}
	var paths []string
	for path, entry := range is {
		if was[path] != entry {
			paths = append(paths, path)
		}
	}
	for path := range was {
		if _, still := is[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// listing returns all files of a commit, with what tells one version of a file from another.
func (c *Client) listing(ctx context.Context, at promotion.SHA) (map[string]string, error) {
	tree, _, err := c.rest.Git.GetTree(ctx, c.owner, c.name, string(at), true)
	if err != nil {
		return nil, classify(err)
	}
	if tree.GetTruncated() {
		return nil, refused("there are more files at %s than GitHub lists", at)
	}
	files := map[string]string{}
	for _, e := range tree.Entries {
		if e.GetType() != "tree" {
			files[e.GetPath()] = e.GetMode() + " " + e.GetSHA()
		}
	}
	return files, nil
}

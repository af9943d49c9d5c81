package gh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

const (
	// mostPushes is how many commits are looked at in one call; each of them costs a request.
	mostPushes = 100
	// mostCompared is where GitHub stops listing the files of a comparison or a commit.
	mostCompared = 300
)

// Pushes tells how a branch came from a commit to its head, one step for each commit that was ever its first parent,
// the oldest first, as webhooks would have told. Of a long way the beginning is one step, and so is all of it if the
// branch was rewritten. A step has changed everything if GitHub does not list what it changed. There is none if the
// commit is the head, or does not exist any more.
func (br Branches) Pushes(ctx context.Context, branch string, since, head promotion.SHA) ([]promotion.Push, error) {
	if since == head {
		return nil, nil
	}
	heads, err := br.chain(ctx, since, head)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, br.c.wrong(err, "follow %s from %s", branch, since)
	}
	pushes := make([]promotion.Push, len(heads))
	before := since
	for i, one := range heads {
		paths, err := br.c.Commits.ChangedPaths(ctx, before, one.sha)
		if errors.Is(err, ErrTooMany) {
			paths, err = promotion.EveryPath, nil
		}
		if err != nil {
			return nil, err
		}
		pushes[i] = promotion.Push{
			Repo: br.c.repo, Branch: branch, Before: before, After: one.sha, At: one.at, Paths: paths,
		}
		before = one.sha
	}
	return pushes, nil
}

// wasHead is a commit that was the head of a branch, and since when.
type wasHead struct {
	sha promotion.SHA
	at  time.Time
}

// chain lists the newest first parents between a commit and a head, the oldest first. It is the head alone if the way
// to it does not lead by way of the commit, or GitHub does not tell the way.
func (br Branches) chain(ctx context.Context, since, head promotion.SHA) ([]wasHead, error) {
	commits := map[string]*github.RepositoryCommit{}
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := br.c.rest.Repositories.CompareCommits(ctx, br.c.owner, br.c.name, string(since), string(head),
			page)
		if err != nil {
			return nil, err
		}
		for _, one := range some.Commits {
			commits[one.GetSHA()] = one
		}
		return response, nil
	})
	if err = classify(err); errors.Is(err, ErrTooMany) { // the answer has the files, too
		return br.rewritten(ctx, head)
	}
	if err != nil {
		return nil, err
	}
	var chain []wasHead
	for sha := string(head); sha != string(since) && len(chain) < mostPushes; {
		commit, ok := commits[sha]
		if !ok || len(commit.Parents) == 0 {
			return br.rewritten(ctx, head)
		}
		chain = append(chain, wasHead{promotion.SHA(sha), commit.GetCommit().GetCommitter().GetDate().UTC()})
		sha = commit.Parents[0].GetSHA()
	}
	slices.Reverse(chain)
	return chain, nil
}

// rewritten is the chain of a branch whose head does not follow from where it was.
func (br Branches) rewritten(ctx context.Context, head promotion.SHA) ([]wasHead, error) {
	commit, _, err := br.c.rest.Git.GetCommit(ctx, br.c.owner, br.c.name, string(head))
	if err != nil {
		return nil, err
	}
	return []wasHead{{head, commit.GetCommitter().GetDate().UTC()}}, nil
}

// ChangedPaths lists every path that differs between two commits, in any order of time. A difference that is too large
// to be listed is an error: a path that is left out would let a foreign signal count. The answer never changes and is
// remembered.
func (cm Commits) ChangedPaths(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	i, err := cm.c.by(ctx)
	if err != nil {
		return nil, cm.c.wrong(err, "compare %s with %s", before, after)
	}
	key := fmt.Sprintf("%d %s %s %s", i.id, cm.c.repo, before, after)
	if paths, known := cm.c.hub.changes.Get(key); known {
		return slices.Clone(paths), nil
	}
	paths, err := cm.compare(ctx, before, after)
	if err != nil {
		return nil, cm.c.wrong(err, "compare %s with %s", before, after)
	}
	if len(paths) <= mostCompared {
		cm.c.hub.changes.Add(key, slices.Clone(paths))
	}
	return paths, nil
}

func (cm Commits) compare(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	compared, _, err := cm.c.rest.Repositories.CompareCommits(ctx, cm.c.owner, cm.c.name, string(before), string(after),
		&github.ListOptions{PerPage: 1})
	follows := compared.GetStatus() == "ahead" || compared.GetStatus() == "identical"
	if err == nil && follows && len(compared.Files) < mostCompared {
		paths := touched(compared.Files)
		slices.Sort(paths)
		return slices.Compact(paths), nil
	}
	// it is not found if the commits have no common past
	if err = classify(err); err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrTooMany) {
		return nil, err
	}
	return cm.differing(ctx, before, after)
}

// differing compares two whole trees, for commits that do not follow each other or have too much between them.
func (cm Commits) differing(ctx context.Context, before, after promotion.SHA) ([]string, error) {
	was, err := cm.listing(ctx, before)
	if err != nil {
		return nil, err
	}
	is, err := cm.listing(ctx, after)
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

// listing returns all files of a commit, with the fields that tell one version of a file from another.
func (cm Commits) listing(ctx context.Context, at promotion.SHA) (map[string]string, error) {
	tree, _, err := cm.c.rest.Git.GetTree(ctx, cm.c.owner, cm.c.name, string(at), true)
	if err != nil {
		return nil, classify(err)
	}
	if tree.GetTruncated() {
		return nil, tooMany(fmt.Sprintf("there are more files at %s than GitHub lists", at))
	}
	files := map[string]string{}
	for _, e := range tree.Entries {
		if e.GetType() != "tree" {
			files[e.GetPath()] = e.GetMode() + " " + e.GetSHA()
		}
	}
	return files, nil
}

package gh

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// MergedPull is a pull request that was merged: freight, if a warehouse wants it.
type MergedPull struct {
	Number   int
	Title    string
	Author   promotion.Actor
	MergedAt time.Time // as GitHub says it: it orders freight
	MergeSHA promotion.SHA
	Base     string
	Head     string         // the branch it came from
	HeadRepo promotion.Repo // where that branch is; empty once the fork is deleted
	Labels   []string
	Issues   []string // that it closes by its text
}

// firstGlance is how many pull requests are asked for at first: mostly none of them is new, and so short an answer is
// remembered and costs nothing the next time.
const firstGlance = 5

// MergedInto lists the pull requests that were merged into a branch at or after a time, the newest first. Which files
// they change is asked for one by one, with Files, because a file that was moved has two paths and only that list tells
// both.
func (pl Pulls) MergedInto(ctx context.Context, branch string, since time.Time) ([]MergedPull, error) {
	newest, _, err := pl.closed(ctx, branch, &github.ListOptions{PerPage: firstGlance})
	if err != nil {
		return nil, pl.c.wrong(err, "list pull requests merged into %s", branch)
	}
	if len(newest) < firstGlance || updatedBefore(newest[len(newest)-1], since) {
		merged, err := mergedSince(newest, since)
		return merged, pl.c.wrong(err, "list pull requests merged into %s", branch)
	}
	var merged []MergedPull
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := pl.closed(ctx, branch, page)
		if err != nil {
			return nil, err
		}
		found, err := mergedSince(some, since)
		if err != nil {
			return nil, err
		}
		merged = append(merged, found...)
		if len(some) > 0 && updatedBefore(some[len(some)-1], since) {
			response.NextPage = 0
		}
		return response, nil
	})
	return merged, pl.c.wrong(err, "list pull requests merged into %s", branch)
}

// closed lists a page of the closed pull requests into a branch, the one that was updated last first.
func (pl Pulls) closed(
	ctx context.Context, branch string, page *github.ListOptions,
) ([]*github.PullRequest, *github.Response, error) {
	return pl.c.rest.PullRequests.List(ctx, pl.c.owner, pl.c.name, &github.PullRequestListOptions{
		State: "closed", Base: branch, Sort: "updated", Direction: "desc", ListOptions: *page,
	})
}

// updatedBefore reports whether nothing has happened to a pull request since a time: a merge is an update.
func updatedBefore(p *github.PullRequest, since time.Time) bool {
	return p.GetUpdatedAt().Before(since)
}

// mergedSince selects the pull requests that were merged at or after a time.
func mergedSince(all []*github.PullRequest, since time.Time) ([]MergedPull, error) {
	var merged []MergedPull
	for _, p := range all {
		at := p.GetMergedAt()
		if at.IsZero() || at.Before(since) {
			continue
		}
		if p.GetNumber() == 0 || p.GetMergeCommitSHA() == "" {
			return nil, incomplete("the commit of a merge")
		}
		merged = append(merged, mergedNode(p))
	}
	return merged, nil
}

func mergedNode(p *github.PullRequest) MergedPull {
	m := MergedPull{
		Number:   p.GetNumber(),
		Title:    p.GetTitle(),
		Author:   actor(p.User),
		MergedAt: p.GetMergedAt().UTC(),
		MergeSHA: promotion.SHA(p.GetMergeCommitSHA()),
		Base:     p.GetBase().GetRef(),
		Head:     p.GetHead().GetRef(),
		HeadRepo: promotion.Repo(p.GetHead().GetRepo().GetFullName()),
		Issues:   promotion.IssuesIn(p.GetBody(), promotion.Repo(p.GetBase().GetRepo().GetFullName())),
	}
	for _, l := range p.Labels {
		m.Labels = append(m.Labels, l.GetName())
	}
	return m
}

// mostPullFiles is where GitHub stops listing the files of a pull request.
const mostPullFiles = 3000

// PullFiles is the list of files that a pull request changes, as far as it has been read. The zero value is of one of
// which nothing has been read.
type PullFiles struct {
	paths []string
	files int
	lines int
	page  int // that was read last
	whole bool
	more  bool // there are others, which GitHub does not list
	heads []promotion.SHA
}

// Whole reports whether there is nothing more to read.
func (l PullFiles) Whole() bool { return l.whole }

// Heads returns the heads from which GitHub made the pages, each once. There are several if somebody pushed in between,
// or if one of GitHub's servers lags. Files that are removed do not tell their head.
func (l PullFiles) Heads() []promotion.SHA { return l.heads }

// Touched returns every path that the pull request touches, as far as it has been read and GitHub tells.
func (l PullFiles) Touched() promotion.Touched {
	return promotion.Touched{
		Paths: l.paths, More: l.more || l.files >= mostPullFiles, Files: l.files, Lines: l.lines,
	}
}

// Files lists every path that a pull request touches, as far as GitHub tells.
func (pl Pulls) Files(ctx context.Context, number int) (t promotion.Touched, err error) {
	var list PullFiles
	for !list.whole {
		if list, err = pl.MoreFiles(ctx, number, list); err != nil {
			return promotion.Touched{}, err
		}
	}
	return list.Touched(), nil
}

// MoreFiles reads the next page of a list, in one request. If GitHub cannot work out what the pull request changes, the
// list is whole, and there is more.
func (pl Pulls) MoreFiles(ctx context.Context, number int, list PullFiles) (PullFiles, error) {
	page := &github.ListOptions{PerPage: perPage, Page: list.page + 1}
	some, response, err := pl.c.rest.PullRequests.ListFiles(ctx, pl.c.owner, pl.c.name, number, page)
	if err == nil && response.NextPage != 0 && response.NextPage <= page.Page {
		err = errSamePage()
	}
	if err = classify(err); errors.Is(err, ErrTooMany) {
		list.whole, list.more = true, true
		return list, nil
	}
	if err != nil {
		return PullFiles{}, pl.c.wrong(err, "list files of pull request #%d", number)
	}
	return PullFiles{
		paths: slices.Concat(list.paths, touched(some)), files: list.files + len(some), page: page.Page,
		lines: list.lines + lines(some),
		whole: response.NextPage == 0, heads: headsIn(list.heads, some),
	}, nil
}

// headsIn adds the commits from which some files are shown to those of earlier ones. A file that was removed is shown
// from where it was last.
func headsIn(heads []promotion.SHA, files []*github.CommitFile) []promotion.SHA {
	heads = slices.Clone(heads)
	for _, f := range files {
		at, err := url.Parse(f.GetContentsURL())
		if err != nil || f.GetStatus() == "removed" {
			continue
		}
		if head := promotion.SHA(at.Query().Get("ref")); head != "" && !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
	}
	return heads
}

// lines counts the lines that are added and removed in some files.
func lines(files []*github.CommitFile) (n int) {
	for _, f := range files {
		n += f.GetAdditions() + f.GetDeletions()
	}
	return n
}

// touched returns every path of a list of changed files.
func touched(files []*github.CommitFile) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.GetFilename())
		if was := f.GetPreviousFilename(); was != "" && was != f.GetFilename() {
			paths = append(paths, was)
		}
	}
	return paths
}

package gh

import (
	"context"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// OpenPull is an open pull request.
type OpenPull struct {
	Number  int
	Head    promotion.SHA
	Branch  string // that it comes from
	Here    bool   // that branch is in this repository, not in a fork
	Author  promotion.Actor
	Updated time.Time
}

// NewestOpen lists the open pull requests into a branch, the one that was updated last first: a hundred of them at
// most, in one request. full reports whether there may be more.
func (pl Pulls) NewestOpen(ctx context.Context, base string) (all []OpenPull, full bool, err error) {
	some, _, err := pl.c.rest.PullRequests.List(ctx, pl.c.owner, pl.c.name, &github.PullRequestListOptions{
		State: "open", Base: base, Sort: "updated", Direction: "desc", ListOptions: github.ListOptions{PerPage: perPage},
	})
	if err != nil {
		return nil, false, pl.c.wrong(err, "list open pull requests into %s", base)
	}
	all = make([]OpenPull, len(some))
	for i, p := range some {
		all[i] = OpenPull{
			Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA()), Branch: p.GetHead().GetRef(), Here: pl.ours(p),
			Author: actor(p.User), Updated: p.GetUpdatedAt().UTC(),
		}
		if all[i].Number <= 0 || all[i].Head == "" || all[i].Updated.IsZero() {
			return nil, false, pl.c.wrong(incomplete("a pull request"), "list open pull requests into %s", base)
		}
	}
	return all, len(some) == perPage, nil
}

// Group is a group of a merge queue.
type Group struct {
	promotion.Group
	Ref  string // its branch
	Head promotion.SHA
}

// Groups lists the groups of the merge queue of a branch: the branches that GitHub has made for them.
func (mq MergeQueue) Groups(ctx context.Context, base string) ([]Group, error) {
	refs, _, err := mq.c.rest.Git.ListMatchingRefs(ctx, mq.c.owner, mq.c.name,
		&github.ReferenceListOptions{Ref: "heads/gh-readonly-queue/" + base + "/"})
	if err != nil {
		return nil, mq.c.wrong(err, "list the groups of the merge queue of %s", base)
	}
	var all []Group
	for _, ref := range refs {
		branch := strings.TrimPrefix(ref.GetRef(), "refs/heads/")
		if g, is := promotion.ParseGroup(branch); is && g.Branch == base && ref.GetObject().GetSHA() != "" {
			all = append(all, Group{Group: g, Ref: branch, Head: promotion.SHA(ref.GetObject().GetSHA())})
		}
	}
	return all, nil
}

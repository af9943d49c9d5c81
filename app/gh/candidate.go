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

// openPages bounds how many pages of open pull requests are read.
const openPages = 10

// NewestOpen lists the open pull requests into a branch, the one that was updated last first: a number of those of the
// repository itself, and as many of forks. It reads on until it has the former: anybody opens as many from forks as
// they like. A request reads a hundred; there are ten at most. full reports whether there may be more.
func (pl Pulls) NewestOpen(ctx context.Context, base string, most int) (all []OpenPull, full bool, err error) {
	count, read := map[bool]int{}, 0
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := pl.c.rest.PullRequests.List(ctx, pl.c.owner, pl.c.name, &github.PullRequestListOptions{
			State: "open", Base: base, Sort: "updated", Direction: "desc", ListOptions: *page,
		})
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			one := pl.asOpen(p)
			if one.Number <= 0 || one.Head == "" || one.Updated.IsZero() {
				return nil, incomplete("a pull request")
			}
			if count[one.Here]++; count[one.Here] <= most {
				all = append(all, one)
			}
		}
		if read++; count[true] >= most || read == openPages {
			full, response.NextPage = response.NextPage != 0, 0
		}
		return response, nil
	})
	if err != nil {
		return nil, false, pl.c.wrong(err, "list open pull requests into %s", base)
	}
	return all, full || count[true] > most || count[false] > most, nil
}

func (pl Pulls) asOpen(p *github.PullRequest) OpenPull {
	return OpenPull{
		Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA()), Branch: p.GetHead().GetRef(), Here: pl.ours(p),
		Author: actor(p.User), Updated: p.GetUpdatedAt().UTC(),
	}
}

// Standing is how an open pull request stands: where it comes from, and where it goes to.
type Standing struct {
	Open    bool
	Head    promotion.SHA
	Base    string
	Updated time.Time
}

// Stands reads how a pull request stands, in one request.
func (pl Pulls) Stands(ctx context.Context, number int) (Standing, error) {
	p, err := pl.look(ctx, number)
	if err != nil {
		return Standing{}, err
	}
	s := Standing{
		Open: p.GetState() == "open", Head: promotion.SHA(p.GetHead().GetSHA()), Base: p.GetBase().GetRef(),
		Updated: p.GetUpdatedAt().UTC(),
	}
	if s.Head == "" || s.Base == "" || p.UpdatedAt == nil {
		return Standing{}, pl.c.wrong(incomplete("a pull request"), "read pull request #%d", number)
	}
	return s, nil
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

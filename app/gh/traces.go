package gh

import (
	"context"
	"time"

	"github.com/google/go-github/v60/github"
)

// Trace is something that a promotion has left in a repository: a pull request or a commit of our App.
type Trace struct {
	Text   string // the body of the pull request, or the message of the commit
	Pull   int    // 0: it is a commit
	Branch string // the pull request comes from
	Open   bool   // the pull request
}

// NewestTraces lists the pull requests of a repository and the commits of a branch that are ours: those among the
// newest hundred, and all pull requests that were opened at or after a time, however many others there are.
func (sf Surfaces) NewestTraces(ctx context.Context, branch string, since time.Time) ([]Trace, error) {
	self, err := sf.c.self(ctx)
	if err != nil {
		return nil, err
	}
	var all []Trace
	for page := 1; page != 0; {
		pulls, response, err := sf.c.rest.PullRequests.List(ctx, sf.c.owner, sf.c.name, &github.PullRequestListOptions{
			State: "all", Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: perPage, Page: page},
		})
		if err != nil {
			return nil, sf.c.wrong(err, "list the newest pull requests")
		}
		page = response.NextPage
		for _, p := range pulls {
			if self.is(p.User) && sf.c.Pulls.ours(p) {
				all = append(all, Trace{p.GetBody(), p.GetNumber(), p.GetHead().GetRef(), p.GetState() == "open"})
			}
			if p.GetCreatedAt().Before(since) {
				page = 0
			}
		}
	}
	commits, _, err := sf.c.rest.Repositories.ListCommits(ctx, sf.c.owner, sf.c.name,
		&github.CommitsListOptions{SHA: branch, ListOptions: github.ListOptions{PerPage: perPage}})
	if err != nil {
		return nil, sf.c.wrong(err, "list the newest commits of %s", branch)
	}
	for _, one := range commits {
		if self.is(one.Author) {
			all = append(all, Trace{Text: one.GetCommit().GetMessage()})
		}
	}
	return all, nil
}

package gh

import (
	"context"
	"fmt"

	"github.com/google/go-github/v60/github"
)

// Proposal is a pull request that brings new files.
type Proposal struct {
	Branch, Title, Body string
	Files               map[string]string // by path; none of them is there at the base
}

// Propose commits new files on top of a base to a new branch, and opens a pull request from it, whose address it
// returns. A branch that is there already is of ClassLookAgain, and is left as it is.
func (pl Pulls) Propose(ctx context.Context, base Base, p Proposal) (url string, err error) {
	head, err := pl.c.Branches.headOf(ctx, p.Branch)
	if err == nil && head != nowhere {
		err = &failure{class: ClassLookAgain, text: fmt.Sprintf("there is a branch %s already", p.Branch)}
	}
	if err != nil {
		return "", pl.c.wrong(err, "propose files")
	}
	files := map[string]Blob{}
	for path, text := range p.Files {
		files[path] = Blob{Mode: modeFile, Content: &text}
	}
	made, err := pl.c.Commits.Make(ctx, base, Writes{Copied: files}, p.Title)
	if err != nil {
		return "", err
	}
	if err := pl.c.Branches.create(ctx, p.Branch, made.SHA); err != nil {
		return "", err
	}
	pull, _, err := pl.c.rest.PullRequests.Create(ctx, pl.c.owner, pl.c.name, &github.NewPullRequest{
		Title: github.String(clip(p.Title, maxTitle)), Body: github.String(clip(p.Body, maxBody)),
		Head: &p.Branch, Base: &base.Branch,
	})
	if err == nil && pull.GetHTMLURL() == "" {
		err = incomplete("the pull request that it made")
	}
	if err != nil {
		return "", pl.c.wrong(fmt.Errorf("branch %s has the files, but no pull request was opened from it: %w", p.Branch,
			classify(err)), "propose files")
	}
	return pull.GetHTMLURL(), nil
}

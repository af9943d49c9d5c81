package gh

import (
	"context"
	"errors"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// CloseRequest is a pull request of ours that is not wanted any more.
type CloseRequest struct {
	Pull    int           // 0: any pull request from the branch
	Branch  string        // of the pull request; it is deleted where we left it
	Head    promotion.SHA // the commit that we left the branch at; empty: not known, and the branch stays
	Comment string        // why, for people; nothing is said if empty
	Marker  string        // by which the comment is found again
}

// Close closes a pull request and deletes its branch, and returns the pull request as it is then: merged, if a person
// was faster. One that is closed or deleted already is fine, so that it may be called again. A pull request that comes
// from another branch is left alone, and so is a branch that another person has moved or may have moved. Where GitHub
// refuses the comment, as in a conversation that people have locked, the pull request is closed without a word.
func (pl Pulls) Close(ctx context.Context, r CloseRequest) (promotion.Pull, error) {
	pull, err := pl.closePull(ctx, r)
	return pull, pl.c.wrong(err, "close pull request from %s", r.Branch)
}

func (pl Pulls) closePull(ctx context.Context, r CloseRequest) (promotion.Pull, error) {
	pull, found, err := pl.toClose(ctx, r)
	switch {
	case err != nil:
		return pull, err
	case !found: // the branch may be all that was made
		return promotion.Pull{}, pl.c.Branches.deleteOurs(ctx, r.Branch, r.Head)
	case pull.Head != r.Branch:
		return pull, refused("pull request #%d comes from %s and not from %s", pull.Number, pull.Head, r.Branch)
	}
	if pull.State == promotion.PullOpen {
		if err := pl.sayWhy(ctx, r, pull.Number); err != nil {
			return pull, err
		}
		if err := pl.shut(ctx, pull.Number); err != nil {
			return pull, pl.unseen(ctx, err)
		}
		if pull, err = pl.Reread(ctx, pull.Number); err != nil {
			return pull, err
		}
	}
	return pull, pl.c.Branches.deleteOurs(ctx, r.Branch, r.Head)
}

// A comment that GitHub refuses for a moment is tried so often, with pauses in between.
const (
	sayTries = 4
	sayPause = time.Second
)

// sayWhy writes the comment about the end of a pull request. What nobody may say there keeps nothing open.
func (pl Pulls) sayWhy(ctx context.Context, r CloseRequest, pull int) error {
	if r.Comment == "" {
		return nil
	}
	for try := 1; ; try++ {
		_, err := pl.c.Comments.Write(ctx, Comment{Issue: pull, Marker: r.Marker, Body: r.Comment})
		switch err = classify(err); {
		case !errors.Is(err, ErrRefused):
			return err
		case !errors.Is(err, ErrPassing) || try == sayTries:
			return nil
		}
		if err := pl.c.hub.nap(ctx, sayPause<<(try-1)); err != nil {
			return err
		}
	}
}

func (pl Pulls) toClose(ctx context.Context, r CloseRequest) (promotion.Pull, bool, error) {
	if r.Pull == 0 {
		return pl.find(ctx, r.Branch)
	}
	pull, err := pl.Reread(ctx, r.Pull)
	return pull, err == nil, err
}

// shut closes a pull request.
func (pl Pulls) shut(ctx context.Context, number int) error {
	_, _, err := pl.c.rest.PullRequests.Edit(ctx, pl.c.owner, pl.c.name, number,
		&github.PullRequest{State: github.String("closed")})
	return classify(err)
}

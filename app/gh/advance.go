package gh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Advance is where a commit is that was to come onto a branch.
type Advance string

const (
	// Landed is on the branch: as its head, or under later commits of others.
	Landed Advance = "landed"
	// Outrun is not there, and the branch has moved: it never will be.
	Outrun Advance = "outrun"
	// Absent is not there, and the branch is where it was.
	Absent Advance = "absent"
)

// Advance moves a branch that others write to, too, from one commit to another that follows from it. GitHub compares
// and moves in one step, so that nothing of theirs is lost. After an error or a lost answer it looks: an error means
// that it is not known whether the branch has moved, or that GitHub does not let it be moved.
func (br Branches) Advance(ctx context.Context, branch string, from, to promotion.SHA) (Advance, error) {
	leave, err := br.c.hub.lanes.enter(ctx, string(br.c.repo)+" "+branch)
	if err != nil {
		return "", br.c.wrong(err, "commit to %s", branch)
	}
	defer leave()
	for try := 0; ; try++ {
		tried := classify(br.updateRef(ctx, branch, from, to, false))
		if tried == nil {
			return Landed, nil
		}
		result, err := br.compareAdvance(ctx, branch, from, to)
		if err == nil && result == Absent && isUnseen(tried) && try < advanceAgain {
			if err := br.c.hub.nap(ctx, advancePause<<try); err != nil {
				return "", err
			}
			continue
		}
		if err == nil && result == Absent {
			err = barred(tried, branch)
		}
		return result, br.c.wrong(err, "commit to %s", branch)
	}
}

// The server of GitHub that moves the branch may not know the commit yet, which another one has just made. Waybill asks
// for the same commit again after short pauses: the next try of its stage would make another one, as unknown as this.
const (
	advanceAgain = 3
	advancePause = 500 * time.Millisecond
)

// isUnseen reports whether GitHub says that it does not know a commit.
func isUnseen(err error) bool {
	f := failureOf(err)
	return f != nil && strings.Contains(f.text, "Object does not exist")
}

// barred adds the remedy where GitHub does not let the branch be moved: some rule of it is in the way.
func barred(err error, branch string) error {
	f := failureOf(err)
	if f == nil || !f.Is(ErrRefused) || f.class == ClassNoAccess {
		return err
	}
	return &failure{class: f.class, after: f.after, text: fmt.Sprintf(
		"%s; let the App bypass this rule of branch %s, or let the stage be promoted by pull requests", f.text, branch)}
}

// Advanced looks where a commit is that was to come onto a branch from another one.
func (br Branches) Advanced(ctx context.Context, branch string, from, to promotion.SHA) (Advance, error) {
	result, err := br.compareAdvance(ctx, branch, from, to)
	return result, br.c.wrong(err, "look for %s on %s", to, branch)
}

func (br Branches) compareAdvance(ctx context.Context, branch string, from, to promotion.SHA) (Advance, error) {
	head, err := br.headOf(ctx, branch)
	switch {
	case err != nil:
		return "", err
	case head == nowhere:
		return "", notFound("branch %s is gone", branch)
	case head == to:
		return Landed, nil
	case head == from:
		return Absent, nil
	}
	compared, _, err := br.c.rest.Repositories.CompareCommits(ctx, br.c.owner, br.c.name, string(to), string(head),
		&github.ListOptions{PerPage: 1})
	switch err = classify(err); {
	case err == nil && compared.GetStatus() == "ahead":
		return Landed, nil
	case err == nil, errors.Is(err, ErrNotFound): // which is said of commits without a common past, too
		return Outrun, nil
	}
	return "", err
}

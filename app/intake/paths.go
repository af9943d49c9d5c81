package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// completePaths asks for the paths of a push whose delivery does not list all, for later learners. On branches that no
// pipeline uses, such as those of promotions, the paths stay unknown. So do those of a new branch, or one whose earlier
// head is gone: a resync reads the files there. It does so, too, where GitHub does not list what has changed, which is
// then everything.
func (in *Intake) completePaths(ctx context.Context, from *handlers.From, p *handlers.Push) (work.Record, error) {
	holders := in.Pipelines.UsingBranch(promotion.Branch{Repo: p.Repo, Name: p.Branch})
	if !p.PathsUnknown || len(holders) == 0 {
		return nil, nil
	}
	paths, found, err := in.changedPaths(ctx, from, p)
	if err != nil {
		return nil, err
	}
	p.Paths, p.PathsUnknown = paths, !found
	if found && !slices.Equal(paths, promotion.EveryPath) {
		return nil, nil
	}
	return func(tx *store.Tx) error { return askResyncs(tx, holders) }, nil
}

// changedPaths asks for the paths of a push; found is false if its earlier head does not exist any more.
func (in *Intake) changedPaths(
	ctx context.Context, from *handlers.From, p *handlers.Push,
) (paths []string, found bool, err error) {
	if strings.Trim(string(p.Before), "0") == "" { // Git's notation for no commit
		return nil, false, nil
	}
	client, err := in.Hub.Installation(from.Installation, p.Repo)
	if err != nil {
		return nil, false, err
	}
	paths, err = client.Commits.ChangedPaths(ctx, p.Before, p.After)
	if errors.Is(err, gh.ErrTooMany) {
		return promotion.EveryPath, true, nil
	}
	if !errors.Is(err, gh.ErrNotFound) {
		return paths, true, err
	}
	heads, err := client.Commits.Heads(ctx, []promotion.SHA{p.After})
	if err == nil && len(heads) == 0 {
		err = in.notYet(from, fmt.Sprintf("commit %s on %s", p.After, p.Branch))
	}
	return nil, false, err
}

// overtaken reads again our open pull requests that change a file of a push: GitHub sends no webhook when a pull
// request comes into conflict with its base. Those that are about to be merged are left out: the merge tells.
func (in *Intake) overtaken(ctx context.Context, from *handlers.From, push *handlers.Push) (work.Record, error) {
	if push.PathsUnknown {
		return nil, nil
	}
	numbers, err := in.conflicting(ctx, push)
	if err != nil {
		return nil, err
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	client, err := in.Hub.Installation(from.Installation, push.Repo)
	if err != nil {
		return nil, err
	}
	pulls, err := client.Pulls.ReadAll(ctx, numbers)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error { return learn.RecordPulls(tx, pulls) }, nil
}

// conflicting returns our open pull requests that change a file of a push.
func (in *Intake) conflicting(ctx context.Context, push *handlers.Push) (numbers []int, err error) {
	err = in.Store.ViewOne(ctx, func(tx *store.Tx) error {
		unmerged, err := tx.Attempts.Unmerged(promotion.Branch{Repo: push.Repo, Name: push.Branch})
		for _, attempt := range unmerged {
			if attempt.Writes(push.Paths) {
				numbers = append(numbers, attempt.Pull)
			}
		}
		return err
	})
	return numbers, err
}

// filesOf returns the paths of a push. For a new branch, or one whose earlier head is gone, they are unknown.
func (in *Intake) filesOf(ctx context.Context, from *handlers.From, p *handlers.Push) (promotion.Touched, error) {
	if !p.PathsUnknown {
		return promotion.Touched{Paths: p.Paths}, nil
	}
	paths, found, err := in.changedPaths(ctx, from, p)
	return promotion.Touched{Paths: paths, More: !found || slices.Equal(paths, promotion.EveryPath)}, err
}

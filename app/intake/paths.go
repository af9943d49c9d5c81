package intake

import (
	"context"
	"errors"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// completePaths asks for the paths of a push whose delivery does not name them all, for the learners behind it. Those
// of a branch that no pipeline looks at, such as one of a promotion, stay unknown, and so do those of a branch that was
// just made, or whose past is gone: a resync finds out what it is now.
func (in *Intake) completePaths(ctx context.Context, from *handlers.From, p *handlers.Push) (work.Record, error) {
	holders := in.Pipelines.UsingBranch(promotion.Branch{Repo: p.Repo, Name: p.Branch})
	if !p.PathsUnknown || len(holders) == 0 {
		return nil, nil
	}
	paths, found, err := in.changedPaths(ctx, from.Installation, p)
	if err != nil {
		return nil, err
	}
	if !found {
		return func(tx *store.Tx) error {
			return work.RecordAll(holders, func(c pipelines.Compiled) error { return tx.Clocks.AskResync(c.Row.ID) })
		}, nil
	}
	p.Paths, p.PathsUnknown = paths, false
	return nil, nil
}

// changedPaths asks for the paths of a push; found is false if it does not follow from anything that is still there.
func (in *Intake) changedPaths(
	ctx context.Context, installation int64, p *handlers.Push,
) (paths []string, found bool, err error) {
	if strings.Trim(string(p.Before), "0") == "" { // which is how Git writes: no commit
		return nil, false, nil
	}
	client, err := in.Hub.Installation(installation, p.Repo)
	if err != nil {
		return nil, false, err
	}
	paths, err = client.ChangedPaths(ctx, p.Before, p.After)
	if errors.Is(err, gh.ErrNotFound) {
		return nil, false, nil
	}
	return paths, true, err
}

// overtaken looks again at open pull requests of ours when a push changes files that they change, too: GitHub sends no
// webhook when a pull request begins to conflict with its base.
func (in *Intake) overtaken(ctx context.Context, from *handlers.From, push *handlers.Push) (work.Record, error) {
	if push.PathsUnknown {
		return nil, nil
	}
	numbers, err := in.conflicting(ctx, push)
	if err != nil {
		return nil, err
	}
	var pulls []promotion.Pull
	for _, n := range numbers {
		client, err := in.Hub.Installation(from.Installation, push.Repo)
		if err != nil {
			return nil, err
		}
		pull, err := client.Mergeable(ctx, n)
		if err != nil {
			return nil, err
		}
		pulls = append(pulls, pull)
	}
	return func(tx *store.Tx) error { return learn.RecordPulls(tx, pulls) }, nil
}

// conflicting returns the open pull requests of ours that change a file which a push has changed.
func (in *Intake) conflicting(ctx context.Context, push *handlers.Push) (numbers []int, err error) {
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		open, err := tx.Ledger.OpenAttempts(promotion.Branch{Repo: push.Repo, Name: push.Branch})
		for _, attempt := range open {
			if attempt.Plan != nil && overlap(attempt.Plan.Paths, push.Paths) {
				numbers = append(numbers, attempt.Pull)
			}
		}
		return err
	})
	return numbers, err
}

// overlap reports whether both name a path.
func overlap(some, others []string) bool {
	return slices.ContainsFunc(some, func(path string) bool { return slices.Contains(others, path) })
}

// filesOf returns the paths that a push touches. Of a branch that is new, or whose past is gone, nobody knows.
func (in *Intake) filesOf(ctx context.Context, from *handlers.From, p *handlers.Push) (promotion.Touched, error) {
	if !p.PathsUnknown {
		return promotion.Touched{Paths: p.Paths}, nil
	}
	paths, found, err := in.changedPaths(ctx, from.Installation, p)
	return promotion.Touched{Paths: paths, More: !found}, err
}

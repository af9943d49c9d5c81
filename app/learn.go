package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file asks GitHub for what a delivery leaves out. Each function looks at whether the delivery concerns it.

// freightOf makes freight of a merged pull request, in every warehouse that accepts it.
func (a *App) freightOf(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Merged == nil {
		return nil, nil
	}
	m := f.Merged
	wanting := a.pipelines.subscribers(f.Repo, m.Base)
	if len(wanting) == 0 {
		return nil, nil
	}
	client, err := a.hub.Installation(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	files, err := client.PullFiles(ctx, m.Number)
	if err != nil {
		return nil, err
	}
	wanting = slices.DeleteFunc(wanting, func(t subscriber) bool { return !t.warehouse.Accepts(files, m.Labels) })
	if len(wanting) == 0 {
		return nil, nil
	}
	freight := func(t subscriber) promotion.Freight {
		return newFreight(t.warehouse, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title)
	}
	all := []record{func(tx *store.Tx) error {
		return recordAll(wanting, func(t subscriber) error { return recordFreight(tx, t, freight(t)) })
	}}
	for _, t := range wanting {
		wishes, err := a.labelRequestOf(ctx, t.warehouse, freight(t))
		if err != nil {
			return nil, err
		}
		all = append(all, wishes)
	}
	return inOrder(all), nil
}

// newFreight makes freight of a pull request that a warehouse accepts.
func newFreight(w *promotion.Warehouse, number int, sha promotion.SHA, merged time.Time, by promotion.Actor, title string) promotion.Freight {
	f := promotion.NewFreight(w, number, sha, merged)
	f.Author, f.Title = by, title
	return f
}

// pathsOf asks for the paths of pushes whose delivery does not name them all. Branches that no pipeline looks at, such
// as those of promotions and of people, are left out. Of a branch that was just made, or whose past is gone, nobody can
// say what was pushed: a resync finds out what it is now.
func (a *App) pathsOf(ctx context.Context, f *handlers.Facts) (record, error) {
	if !f.PathsUnknown {
		return nil, nil
	}
	var known []promotion.Push
	var anew []int64 // pipelines whose branch begins anew
	for _, p := range f.Pushes {
		holders := a.pipelines.on(promotion.Branch{Repo: p.Repo, Name: p.Branch})
		if len(holders) == 0 {
			continue
		}
		paths, found, err := a.changedPaths(ctx, f.Installation, p)
		if err != nil {
			return nil, err
		}
		if !found {
			for _, c := range holders {
				anew = append(anew, c.row.ID)
			}
			continue
		}
		p.Paths = paths
		known = append(known, p)
	}
	f.Pushes = known
	return func(tx *store.Tx) error { return recordAll(anew, tx.Clocks.AskResync) }, nil
}

// changedPaths asks for the paths of a push; found is false if it does not follow from anything that is still there.
func (a *App) changedPaths(ctx context.Context, installation int64, p promotion.Push) (paths []string, found bool, err error) {
	if strings.Trim(string(p.Before), "0") == "" { // which is how Git writes: no commit
		return nil, false, nil
	}
	client, err := a.hub.Installation(installation, p.Repo)
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
func (a *App) overtaken(ctx context.Context, f *handlers.Facts) (record, error) {
	var pulls []promotion.Pull
	for _, push := range f.Pushes {
		numbers, err := a.inTheWayOf(ctx, push)
		if err != nil {
			return nil, err
		}
		for _, n := range numbers {
			client, err := a.hub.Installation(f.Installation, push.Repo)
			if err != nil {
				return nil, err
			}
			pull, err := client.Mergeable(ctx, n)
			if err != nil {
				return nil, err
			}
			pulls = append(pulls, pull)
		}
	}
	return func(tx *store.Tx) error { return recordPulls(tx, pulls) }, nil
}

// inTheWayOf returns the open pull requests of ours that change a file which a push has changed.
func (a *App) inTheWayOf(ctx context.Context, push promotion.Push) (numbers []int, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		open, err := tx.Ledger.OpenAttempts(promotion.Branch{Repo: push.Repo, Name: push.Branch})
		for _, attempt := range open {
			if attempt.Plan != nil && share(attempt.Plan.Paths, push.Paths) {
				numbers = append(numbers, attempt.Pull)
			}
		}
		return err
	})
	return numbers, err
}

// share reports whether both name a path.
func share(some, others []string) bool {
	return slices.ContainsFunc(some, func(path string) bool { return slices.Contains(others, path) })
}

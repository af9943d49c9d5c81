package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// This file asks for what a resync looks at. Each function returns how to record what it was told.

// overlap is how far back a resync looks behind the one before: what was merged while that one was reading.
const overlap = 10 * time.Minute

// also has the signals of one more commit of a branch read: one that this resync itself has found.
func (l *look) also(on promotion.Branch, commit promotion.SHA) {
	for _, f := range l.files {
		if f.Branch == on && !slices.Contains(f.Commits, commit) {
			f.Commits = append(f.Commits, commit)
		}
	}
}

// rereadConfig takes over the pipeline's files before anything else is looked at: they say what there is to look at.
func (a *App) rereadConfig(ctx context.Context, l *look) error {
	rec, err := a.readPipeline(ctx, l.row.Installation, l.row.Repo)
	if err != nil {
		return err
	}
	return a.store.Update(ctx, inOrder([]record{rec}))
}

// rereadFreight finds what nobody has told of: pull requests that were merged since the last resync, releases and tags.
// What was merged before Waybill knew the pipeline, or published before it knew the warehouse, is no freight.
func (a *App) rereadFreight(ctx context.Context, l *look) (record, error) {
	var found []promotion.Freight
	for _, w := range l.p.Warehouses {
		look := a.publishedIn
		switch w.Kind {
		case promotion.FromPulls:
			look = a.mergedInto
		case promotion.FromPushes, promotion.FromReports:
			continue // rereadHeads looks, and GitHub knows nothing of reports
		}
		err := a.lookIn(ctx, l, w.Repo, func(client *gh.Client) error {
			some, err := look(ctx, client, l, w)
			found = append(found, some...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	l.found = found
	all := []record{func(tx *store.Tx) error {
		return recordAll(found, func(f promotion.Freight) error { return recordFreight(tx, l.subscriber(f), f) })
	}}
	for _, f := range found {
		wishes, err := a.labelRequestOf(ctx, l.subscriber(f).warehouse, f)
		if err != nil {
			return nil, err
		}
		all = append(all, wishes)
	}
	return inOrder(all), nil
}

// subscriber returns the warehouse of a freight.
func (l *look) subscriber(f promotion.Freight) subscriber {
	return subscriber{l.row.ID, l.p.Warehouse(f.Warehouse)}
}

// mergedInto lists the freight that a warehouse has got since the last resync and that nobody has told of.
func (a *App) mergedInto(ctx context.Context, client *gh.Client, l *look, w *promotion.Warehouse) ([]promotion.Freight, error) {
	merged, err := client.MergedPulls(ctx, w.Branch, l.known.ResyncedAt.Add(-overlap))
	if err != nil {
		return nil, err
	}
	var found []promotion.Freight
	for _, m := range merged {
		if isOurs(m.Head) && m.HeadRepo == w.Repo || m.MergedAt.Before(l.known.Since.Truncate(time.Second)) || l.known.Has(w, m.MergeSHA) {
			continue
		}
		files, err := client.PullFiles(ctx, m.Number)
		if err != nil {
			return nil, err
		}
		if w.Accepts(files, m.Labels) {
			found = append(found, newFreight(w, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title))
		}
	}
	return found, nil
}

// rereadPulls looks at the open pull requests of ours. CI may have judged already what has been merged meanwhile.
func (a *App) rereadPulls(ctx context.Context, l *look) (record, error) {
	var pulls []promotion.Pull
	for _, open := range l.known.OpenPulls {
		err := a.lookIn(ctx, l, open.Repo, func(client *gh.Client) error {
			pull, err := client.Mergeable(ctx, open.Number)
			if err != nil {
				return err
			}
			pull.Queue = promotion.OutOfQueue // who believed it there is told by trying
			pulls = append(pulls, pull)
			if pull.State == promotion.PullMerged {
				l.also(promotion.Branch{Repo: open.Repo, Name: pull.Base}, pull.MergeSHA)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return func(tx *store.Tx) error { return recordPulls(tx, pulls) }, nil
}

// rereadPushes looks at how the branches of the stages' files have moved since the oldest freight that is hosted was
// merged, from where the known pushes end.
func (a *App) rereadPushes(ctx context.Context, l *look) (record, error) {
	var found []promotion.Push
	for _, f := range l.files {
		if len(f.Commits) == 0 || f.head == "" { // nothing to follow, or the branch is gone
			continue
		}
		pushes, err := f.client.Pushes(ctx, f.Name, f.Reached, f.head)
		if err != nil {
			return nil, err
		}
		for _, push := range pushes {
			l.also(f.Branch, push.After)
		}
		found = append(found, pushes...)
	}
	return func(tx *store.Tx) error {
		return recordAll(found, func(p promotion.Push) error {
			_, err := tx.Facts.RecordPush(p)
			return err
		})
	}, nil
}

// rereadSignals glances at every commit that the stages look at, and reads the signals of those that have changed since
// the last glance.
func (a *App) rereadSignals(ctx context.Context, l *look) (record, error) {
	var all []record
	for _, f := range l.files {
		rec, err := a.rereadSignalsOn(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// longestRun is how long ago a run may have been started whose end nobody has told of.
const longestRun = 7 * 24 * time.Hour

// rereadRuns looks at the workflows that promotions have started. Where the App may not see them it has started none.
func (a *App) rereadRuns(ctx context.Context, l *look) (record, error) {
	var found []promotion.Signal
	for _, f := range l.files {
		for _, stage := range l.p.Stages {
			if l.p.FilesOf(stage) != f.Branch {
				continue
			}
			runs, err := a.runs(ctx, f.client, stage, a.clock().Add(-longestRun))
			if err != nil && !errors.Is(err, gh.ErrRefused) {
				return nil, err
			}
			found = append(found, runs...)
		}
	}
	return func(tx *store.Tx) error { return recordSignals(tx, found, nil) }, nil
}

func (a *App) rereadSignalsOn(ctx context.Context, f *lookAt) (record, error) {
	if len(f.Commits) == 0 {
		return nil, nil
	}
	digests, err := f.client.Digests(ctx, f.Commits)
	if err != nil {
		return nil, err
	}
	changed, err := a.changed(ctx, f, digests)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	signals, suites, err := f.client.Signals(ctx, changed)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		if err := recordSignals(tx, signals, suites); err != nil {
			return err
		}
		return recordAll(changed, func(sha promotion.SHA) error {
			if digests[sha] == "" {
				return nil
			}
			return tx.Facts.SaveDigest(f.Repo, sha, digests[sha])
		})
	}, nil
}

// changed returns the commits whose digest is not what it was.
func (a *App) changed(ctx context.Context, f *lookAt, digests map[promotion.SHA]string) ([]promotion.SHA, error) {
	var was map[promotion.SHA]string
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		was, err = tx.Facts.Digests(f.Repo, f.Commits)
		return err
	})
	return slices.DeleteFunc(slices.Clone(f.Commits), func(sha promotion.SHA) bool {
		return digests[sha] != "" && digests[sha] == was[sha]
	}), err
}

// recordAll records facts until one cannot be recorded.
func recordAll[T any](facts []T, one func(T) error) error {
	for _, f := range facts {
		if err := one(f); err != nil {
			return err
		}
	}
	return nil
}

// isOurs reports whether a branch is a promotion's.
func isOurs(branch string) bool { return strings.HasPrefix(branch, "waybill/") }

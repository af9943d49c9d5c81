package resync

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// rereadPulls reads our open pull requests. If one was merged, CI may have judged its commit already.
func (r *Resyncer) rereadPulls(ctx context.Context, l *survey) (work.Record, error) {
	in := map[promotion.Repo][]int{}
	for _, open := range l.known.OpenPulls {
		in[open.Repo] = append(in[open.Repo], open.Number)
	}
	var pulls []promotion.Pull
	record := func(tx *store.Tx) error { return learn.RecordPulls(tx, pulls) }
	for _, repo := range slices.Sorted(maps.Keys(in)) {
		err := r.inRepo(ctx, l, repo, func(client *gh.Client) error {
			some, err := client.Pulls.ReadAll(ctx, in[repo])
			for _, pull := range some {
				pull.Queue = promotion.OutOfQueue // a merge finds out whether it is still queued
				pulls = append(pulls, pull)
				if pull.State == promotion.PullMerged {
					l.addCommit(promotion.Branch{Repo: repo, Name: pull.Base}, pull.MergeSHA)
				}
			}
			return err
		})
		if err != nil {
			return record, err
		}
	}
	return record, nil
}

// rereadPushes reads the pushes to the branches of the stages' files since the oldest hosted freight was merged, from
// the last known push on.
func (r *Resyncer) rereadPushes(ctx context.Context, l *survey) (work.Record, error) {
	var found []promotion.Push
	record := func(tx *store.Tx) error {
		return work.RecordAll(found, func(p promotion.Push) error {
			fresh, err := tx.Branches.RecordPush(p)
			if err != nil || !fresh {
				return err
			}
			return tx.Pulls.BumpInto(p.Repo, p.Branch)
		})
	}
	for _, f := range l.files {
		if len(f.Commits) == 0 || f.head == "" { // nothing to follow, or the branch is gone
			continue
		}
		pushes, err := f.client.Branches.Pushes(ctx, f.Name, f.Reached, f.head)
		if err != nil {
			return record, err
		}
		for _, push := range pushes {
			l.addCommit(f.Branch, push.After)
		}
		found = append(found, pushes...)
	}
	return record, nil
}

// rereadSignals reads a digest of every commit that the stages look at, and the signals of those whose digest has
// changed. If it fails, the commits that it has read are not read again next time.
func (r *Resyncer) rereadSignals(ctx context.Context, l *survey) (work.Record, error) {
	var all []work.Record
	for _, f := range l.files {
		rec, err := r.rereadSignalsOn(ctx, f)
		all = append(all, rec)
		if err != nil {
			return work.InOrder(all), err
		}
	}
	return work.InOrder(all), nil
}

// longestRun is how long ago a run may have started whose end is not recorded.
const longestRun = 7 * 24 * time.Hour

// rereadRuns reads the runs of workflows that promotions have started. Without access to them, the App has started
// none.
func (r *Resyncer) rereadRuns(ctx context.Context, l *survey) (work.Record, error) {
	var found []promotion.Signal
	record := func(tx *store.Tx) error { return learn.RecordSignals(tx, found, nil) }
	for _, f := range l.files {
		for _, stage := range l.p.Stages {
			if l.p.FilesOf(stage) != f.Branch {
				continue
			}
			runs, err := learn.Runs(ctx, f.client, stage, r.Clock().Add(-longestRun))
			if err != nil && !errors.Is(err, gh.ErrRefused) {
				return record, err
			}
			found = append(found, runs...)
		}
	}
	return record, nil
}

func (r *Resyncer) rereadSignalsOn(ctx context.Context, f *branch) (work.Record, error) {
	if len(f.Commits) == 0 {
		return nil, nil
	}
	digests, err := f.client.Signals.Digests(ctx, f.Commits)
	if err != nil {
		return nil, err
	}
	changed, err := r.changed(ctx, f, digests)
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, sha := range changed {
		signals, suites, err := f.client.Signals.On(ctx, []promotion.SHA{sha})
		if err != nil {
			return work.InOrder(all), err
		}
		all = append(all, func(tx *store.Tx) error {
			if err := learn.RecordSignals(tx, signals, suites); err != nil || digests[sha] == "" {
				return err
			}
			return tx.Signals.SaveDigest(f.Repo, sha, digests[sha])
		})
	}
	return work.InOrder(all), nil
}

// changed returns the commits whose digest has changed.
func (r *Resyncer) changed(ctx context.Context, f *branch, digests map[promotion.SHA]string) ([]promotion.SHA, error) {
	var was map[promotion.SHA]string
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		was, err = tx.Signals.Digests(f.Repo, f.Commits)
		return err
	})
	return slices.DeleteFunc(slices.Clone(f.Commits), func(sha promotion.SHA) bool {
		return digests[sha] != "" && digests[sha] == was[sha]
	}), err
}

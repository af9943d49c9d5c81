package intake

import (
	"context"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// candidate reads a person's pull request into a branch of guarded files. One that is closed, or now goes into another
// branch, is dismissed.
func (in *Intake) candidate(
	ctx context.Context, from *handlers.From, seen *handlers.CandidatePull,
) (work.Record, error) {
	var all []work.Record
	for _, at := range in.Pipelines.Guarding(from.Repo) {
		rec, err := in.candidateFor(ctx, at, from, seen)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

func (in *Intake) candidateFor(
	ctx context.Context, at pipelines.Compiled, from *handlers.From, seen *handlers.CandidatePull,
) (work.Record, error) {
	c := learn.PullCandidate(at.Pipeline, promotion.Branch{Repo: from.Repo, Name: seen.Base}, seen.Number, seen.Head,
		seen.Updated)
	c.Fork, c.By = seen.Fork, seen.By
	if !seen.Open || len(at.Pipeline.GuardedOn(c.Into)) == 0 {
		return in.learn.Candidates.End(ctx, at.Row, at.Pipeline, c, seen.Merged,
			"The pull request is closed, or goes into another branch.")
	}
	return in.learn.Candidates.ReadPull(ctx, at.Row, at.Pipeline, c, learn.Telling{From: from, Pull: seen})
}

// candidateAgain reads pull requests that were not read, for who wants their check to be made again.
func (in *Intake) candidateAgain(ctx context.Context, from *handlers.From, e *handlers.Rerun) (work.Record, error) {
	var all []work.Record
	for _, at := range in.Pipelines.Guarding(from.Repo) {
		var known []store.Candidate
		err := in.Store.View(ctx, func(tx *store.Tx) (err error) {
			known, err = tx.Candidates.Of(at.Row.ID)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, c := range known {
			if !c.Unread || c.Head != e.SHA || c.Into.Repo != from.Repo {
				continue
			}
			c.By = e.By
			rec, err := in.learn.Candidates.ReadPull(ctx, at.Row, at.Pipeline, c, learn.Telling{From: from})
			if err != nil {
				return nil, err
			}
			all = append(all, rec)
		}
	}
	return work.InOrder(all), nil
}

// mergeGroup reads a group of the merge queue of a branch of guarded files.
func (in *Intake) mergeGroup(ctx context.Context, from *handlers.From, seen *handlers.MergeGroup) (work.Record, error) {
	into := promotion.Branch{Repo: from.Repo, Name: seen.Branch}
	g := gh.Group{Group: seen.Group, Ref: seen.Ref, Head: seen.Head}
	var all []work.Record
	for _, at := range in.Pipelines.Guarding(from.Repo) {
		rec, err := in.mergeGroupFor(ctx, at, into, g, seen.Gone)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

func (in *Intake) mergeGroupFor(
	ctx context.Context, at pipelines.Compiled, into promotion.Branch, g gh.Group, gone bool,
) (work.Record, error) {
	switch {
	case len(at.Pipeline.GuardedOn(into)) == 0:
		return nil, nil
	case gone:
		c := in.learn.Candidates.OfGroup(at.Pipeline, into, g)
		return func(tx *store.Tx) error { return learn.DismissGroup(tx, at.Row.ID, at.Pipeline, c) }, nil
	}
	return in.learn.Candidates.ReadGroup(ctx, at.Row, at.Pipeline, into, g)
}

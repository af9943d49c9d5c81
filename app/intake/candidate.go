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

// candidate looks at a pull request of people's into a branch of guarded files. One that is closed, or goes elsewhere
// by now, is none any more.
func (in *Intake) candidate(ctx context.Context, f *handlers.Facts) (work.Record, error) {
	if f.Candidate == nil {
		return nil, nil
	}
	var all []work.Record
	for _, at := range in.Pipelines.Guarding(f.Repo) {
		rec, err := in.candidateFor(ctx, at, f)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

func (in *Intake) candidateFor(ctx context.Context, at pipelines.Compiled, f *handlers.Facts) (work.Record, error) {
	seen := f.Candidate
	c := learn.CandidatePull(at.Pipeline, promotion.Branch{Repo: f.Repo, Name: seen.Base}, seen.Number, seen.Head, seen.Updated)
	if !seen.Open || len(at.Pipeline.GuardedOn(c.Into)) == 0 {
		return func(tx *store.Tx) error {
			return learn.Dismiss(tx, at.Row.ID, at.Pipeline, c, "It is closed, or goes into another branch.")
		}, nil
	}
	return in.learn.Candidates.Regard(ctx, at.Row, at.Pipeline, c, learn.PullFiles(ctx, seen.Number))
}

// grouped looks at a group of the merge queue of a branch of guarded files.
func (in *Intake) grouped(ctx context.Context, f *handlers.Facts) (work.Record, error) {
	if f.Group == nil {
		return nil, nil
	}
	into := promotion.Branch{Repo: f.Repo, Name: f.Group.Branch}
	g := gh.Group{Group: f.Group.Group, Ref: f.Group.Ref, Head: f.Group.Head}
	var all []work.Record
	for _, at := range in.Pipelines.Guarding(f.Repo) {
		rec, err := in.groupedFor(ctx, at, into, g, f.Group.Gone)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

func (in *Intake) groupedFor(ctx context.Context, at pipelines.Compiled, into promotion.Branch, g gh.Group, gone bool) (work.Record, error) {
	switch {
	case len(at.Pipeline.GuardedOn(into)) == 0:
		return nil, nil
	case gone:
		c := in.learn.Candidates.CandidateOf(at.Pipeline, into, g)
		return func(tx *store.Tx) error { return learn.TakenDown(tx, at.Row.ID, at.Pipeline, c) }, nil
	}
	return in.learn.Candidates.RegardGroup(ctx, at.Row, at.Pipeline, into, g)
}

package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file finds out what targets show that must show something before they take part (semantics 5.2). What follows
// from that, the core decides.

// probe asks GitHub what the targets of a stage show.
func (a *App) probe(ctx context.Context, j *job) (record, error) {
	key := store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}
	var heard int64
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		heard, err = tx.Facts.Heard(key)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := a.readiness(ctx, j)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error { return tx.Facts.RecordReadiness(key, r, heard) }, nil
}

// readiness asks for all conditions of a stage that are looked for on one branch together.
func (a *App) readiness(ctx context.Context, j *job) (promotion.Readiness, error) {
	asked, all := a.clock(), map[promotion.Condition]string{}
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		conditions, _ := j.pipeline.On(j.stage, on).Conditions()
		client, err := a.client(on.Repo)
		if err != nil {
			return promotion.Readiness{}, err
		}
		states, err := client.Shown(ctx, on.Name, conditions)
		if err != nil {
			return promotion.Readiness{}, err
		}
		maps.Copy(all, states)
	}
	return j.stage.Answers(all, asked), nil
}

// showReadiness adds to the snapshot of a stage that somebody asks about what its targets show now. Where the App may
// not see that, what is known stays.
func (a *App) showReadiness(ctx context.Context, j *job, s *promotion.Snapshot) error {
	if all, _ := j.stage.Conditions(); len(all) == 0 {
		return nil
	}
	r, err := a.readiness(ctx, j)
	switch {
	case errors.Is(err, gh.ErrNoAccess):
		return nil
	case err != nil:
		return err
	}
	s.Readiness = &r
	return nil
}

// reportedOnTargets has those stages look again at their targets that a delivery's signals concern.
func (a *App) reportedOnTargets(_ context.Context, f *handlers.Facts) (record, error) {
	var keys []store.StageKey
	for i := range f.Signals {
		signal := &f.Signals[i]
		for _, c := range a.pipelines.writingTo(signal.Repo) {
			for _, s := range c.pipeline.Stages {
				if concerns(c.pipeline, s, signal) {
					keys = append(keys, store.StageKey{Pipeline: c.row.ID, Stage: s.Name})
				}
			}
		}
	}
	return func(tx *store.Tx) error { return recordAll(keys, tx.Facts.OutdateReadiness) }, nil
}

// concerns reports whether a target with files in the repository of a signal asks for it.
func concerns(p *promotion.Pipeline, s *promotion.Stage, signal *promotion.Signal) bool {
	return slices.ContainsFunc(p.BranchesOf(s), func(on promotion.Branch) bool {
		return on.Repo == signal.Repo && p.On(s, on).Concerns(signal)
	})
}

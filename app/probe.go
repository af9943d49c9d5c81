package app

import (
	"context"
	"errors"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file finds out what targets show that must show something before they take part (SEMANTICS 5.2). What follows from
// that, the core decides.

// probe asks GitHub what the targets of a stage show.
func (a *App) probe(ctx context.Context, j *job) (record, error) {
	key := store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}
	var heard int64
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		heard, err = tx.Heard(key)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := a.readiness(ctx, j)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error { return tx.RecordReadiness(key, r, heard) }, nil
}

// readiness asks for all conditions of a stage together, on the branch that it writes to now.
func (a *App) readiness(ctx context.Context, j *job) (r promotion.Readiness, err error) {
	files, asked := j.pipeline.FilesOf(j.stage), a.clock()
	client, err := a.client(j.row.Installation, files.Repo)
	if err != nil {
		return r, err
	}
	conditions, _ := j.stage.Conditions()
	states, err := client.Shown(ctx, files.Name, conditions)
	if err != nil {
		return r, err
	}
	return j.stage.Answers(states, asked), nil
}

// showReadiness adds to the snapshot of a stage that somebody asks about what its targets show now. Where the App may not see
// that, what is known stays.
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
				if c.pipeline.FilesOf(s).Repo == signal.Repo && s.Concerns(signal) {
					keys = append(keys, store.StageKey{Pipeline: c.row.ID, Stage: s.Name})
				}
			}
		}
	}
	return func(tx *store.Tx) error { return recordAll(keys, tx.OutdateReadiness) }, nil
}

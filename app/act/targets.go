package act

import (
	"context"
	"errors"
	"maps"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// probe asks GitHub for the conditions of a stage's targets.
func (a *Executor) probe(ctx context.Context, j *job) (work.Record, error) {
	key := store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}
	var heard int64
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		heard, err = tx.Readiness.Heard(key)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := a.readiness(ctx, j)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error { return tx.Readiness.Record(key, r, heard) }, nil
}

// readiness asks for all conditions of a stage, those on one branch together.
func (a *Executor) readiness(ctx context.Context, j *job) (promotion.Readiness, error) {
	asked, all := a.Clock(), map[promotion.Condition]string{}
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		conditions, _ := j.pipeline.On(j.stage, on).Conditions()
		client, err := a.Client(on.Repo)
		if err != nil {
			return promotion.Readiness{}, err
		}
		states, err := client.Signals.Shown(ctx, on.Name, conditions)
		if err != nil {
			return promotion.Readiness{}, err
		}
		maps.Copy(all, states)
	}
	return j.stage.Answers(all, asked), nil
}

// refreshReadiness asks for the conditions of a stage's targets and sets them in its snapshot, for a question. If the
// App has no access to them, the snapshot keeps the known ones.
func (a *Executor) refreshReadiness(ctx context.Context, j *job, s *promotion.Snapshot) error {
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

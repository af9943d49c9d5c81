package learn

import (
	"context"
	"errors"
	"slices"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// A pipeline is known by the id of its home, and reached by its name. Somebody may make another repository of that
// name, because the home was deleted, or renamed and no webhook has told of it.

// makeRoom returns how to record that a repository has a name by which the home of a pipeline is known, if that is
// another repository. The pipeline goes on under the name that its home has now. If the installation does not reach the
// home any more, the pipeline has no name and no stages, until the home is found again.
func (fs *Files) makeRoom(ctx context.Context, id int64, name promotion.Repo) (work.Record, error) {
	row, err := fs.called(ctx, name)
	if err != nil || row.ID == 0 || row.ID == id {
		return nil, err
	}
	all, err := fs.Hub.Repositories(ctx, row.Installation)
	if err != nil && !errors.Is(err, gh.ErrNoAccess) && !errors.Is(err, gh.ErrNotFound) {
		return nil, err
	}
	now := row.Repo.Left(row.ID)
	if i := slices.IndexFunc(all, func(r gh.Repository) bool { return r.ID == row.ID }); i >= 0 && all[i].Name != name {
		now = all[i].Name
	}
	zerolog.Ctx(ctx).Warn().Str(work.KeyRepo, string(name)).Int64("was", row.ID).Int64("is", id).Str("now", string(now)).
		Msg("another repository has the name of a pipeline's home")
	return func(tx *store.Tx) error {
		row, err := tx.Pipelines.ByID(row.ID)
		if err != nil || row.Repo != name {
			return err
		}
		before := row
		if row.Repo = now; now.HasLeft() {
			return fs.retireAfter(tx, row, before)
		}
		return fs.rename(tx, row)
	}, nil
}

// called returns the pipeline that is known by the name of its home; the zero value if none is.
func (fs *Files) called(ctx context.Context, name promotion.Repo) (row store.PipelineRow, err error) {
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		row, err = tx.Pipelines.ByRepo(name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.PipelineRow{}, nil
	}
	return row, err
}

// rename gives the home of a pipeline the name that it has now.
func (fs *Files) rename(tx *store.Tx, row store.PipelineRow) error {
	p := pipelines.Empty(row)
	if len(row.Config) > 0 {
		var err error
		if p, err = fs.Pipelines.Compiled(row); err != nil {
			return err
		}
	}
	if err := tx.Pipelines.Save(row, p); err != nil {
		return err
	}
	return tx.Clocks.AskResync(row.ID)
}

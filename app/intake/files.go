package intake

import (
	"context"
	"slices"
	"strings"

	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/config"
	"waybill/handlers"
	"waybill/store"
)

// reload reads the pipeline files of every repository where a delivery says that they, or the targets that they find,
// may have changed.
func (in *Intake) reload(ctx context.Context, f *handlers.Facts) (work.Record, error) {
	moved, err := in.comesOrGoes(ctx, f)
	if err != nil || !moved && !f.ConfigTouched && f.Access == nil && f.Repository == nil {
		return nil, err
	}
	repos := []handlers.Repository{{ID: f.RepoID, Name: f.Repo}}
	if f.Access != nil {
		repos = f.Access.Added
	}
	var all []work.Record
	for _, r := range repos {
		rec, err := in.learn.Files.ReadPipeline(ctx, f.Installation, r.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(append(all, func(tx *store.Tx) error { return in.tryAgain(tx, f) })), nil
}

// tryAgain has the pipelines of an account, and those that name its repositories, resynced whose files could not be
// taken over: what another repository allows, or that the App reaches it, may have been what was missing. All of them
// are when something can be reached again: nobody has told of what happened meanwhile.
func (in *Intake) tryAgain(tx *store.Tx, f *handlers.Facts) error {
	rows, err := tx.Ledger.Pipelines()
	if err != nil {
		return err
	}
	return work.RecordAll(rows, func(row store.PipelineRow) error {
		if row.ConfigError == "" && !f.Regained() || row.Installation != f.Installation && !in.needs(row, whose(*f)) {
			return nil
		}
		return tx.Clocks.AskResync(row.ID)
	})
}

// needs reports whether a pipeline names a repository of an account, or has trouble with one that newer files name: the
// trouble says with which.
func (in *Intake) needs(row store.PipelineRow, account string) bool {
	return pipelines.Names(in.learn.Files.Before(row), func(o string) bool { return strings.EqualFold(o, account) }) ||
		strings.Contains(strings.ToLower(row.ConfigError), " "+strings.ToLower(account)+"/")
}

// comesOrGoes reports whether a delivery tells of a push that may have added a target to a pipeline, or taken one away.
// What keeps newer pipeline files from being used may be a file that was not there.
func (in *Intake) comesOrGoes(ctx context.Context, f *handlers.Facts) (bool, error) {
	if len(f.Moved) == 0 {
		return false, nil
	}
	row, err := in.Home(ctx, f.RepoID)
	if err != nil || row.ID == 0 || row.ConfigError != "" {
		return row.ID != 0, err
	}
	return slices.ContainsFunc(config.Globs(row.Config), func(g config.Glob) bool { return slices.ContainsFunc(f.Moved, g.Concerns) }), nil
}

package intake

import (
	"context"
	"errors"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// pushedFiles reads the pipeline files again if a push may have changed them, or something that they name.
func (in *Intake) pushedFiles(ctx context.Context, from *handlers.From, p *handlers.Push) (work.Record, error) {
	named, err := in.concernsFiles(ctx, from, p)
	if err != nil || !named && !p.ConfigTouched {
		return nil, err
	}
	rec, head, err := in.learn.Files.ReadPipeline(ctx, from.Installation, from.Repo)
	if err == nil {
		err = in.behind(ctx, from, p, head)
	}
	if err != nil {
		return nil, err
	}
	return work.InOrder([]work.Record{rec, func(tx *store.Tx) error { return in.resyncFailed(tx, from, false) }}), nil
}

// accessChanged reads the pipeline files of the repositories that the App has gained access to.
func (in *Intake) accessChanged(ctx context.Context, from *handlers.From, a *handlers.Access) (work.Record, error) {
	if a.Change == handlers.Permitted {
		in.Hub.Regranted(from.Installation)
		in.Grants.AskAgain()
		in.Regranted.Notify()
	}
	return in.reload(ctx, from, a.Added, a.Regained())
}

// repositoryChanged reads the pipeline files of a repository that was changed.
func (in *Intake) repositoryChanged(
	ctx context.Context, from *handlers.From, r *handlers.RepositoryChange,
) (work.Record, error) {
	return in.reload(ctx, from, []handlers.Repository{{ID: from.RepoID, Name: from.Repo}}, r.Regained())
}

// mostReloaded is of how many repositories one delivery has the pipeline files read. More are left to discovery, which
// records each as it reads it.
const mostReloaded = 20

// reload reads the pipeline files of repositories. regained says that the App has access to one again.
func (in *Intake) reload(
	ctx context.Context, from *handlers.From, repos []handlers.Repository, regained bool,
) (work.Record, error) {
	names, err := in.withFiles(ctx, from.Installation, repos)
	if err != nil {
		return nil, err
	}
	if len(names) > mostReloaded {
		return func(tx *store.Tx) error {
			return errors.Join(tx.Clocks.AskDiscovery(), in.resyncFailed(tx, from, regained))
		}, nil
	}
	var all []work.Record
	for _, name := range names {
		rec, _, err := in.learn.Files.ReadPipeline(ctx, from.Installation, name)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(append(all, func(tx *store.Tx) error { return in.resyncFailed(tx, from, regained) })), nil
}

// withFiles returns those of some repositories that have pipeline files, or had some when they were last read. One
// alone is not looked into before it is read.
func (in *Intake) withFiles(
	ctx context.Context, installation int64, repos []handlers.Repository,
) (names []promotion.Repo, err error) {
	if len(repos) == 1 {
		return []promotion.Repo{repos[0].Name}, nil
	}
	var strange []promotion.Repo
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		names, strange = nil, nil
		for _, r := range repos {
			_, err := tx.Pipelines.ByID(r.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			allows, failed := tx.Names.ConsentsOf(r.ID)
			if failed != nil {
				return failed
			}
			if err == nil || len(allows) > 0 {
				names = append(names, r.Name)
			} else {
				strange = append(strange, r.Name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	holding, err := in.Hub.Holding(ctx, installation, strange, config.HomePaths)
	if errors.Is(err, gh.ErrNoAccess) { // it is gone again
		err = nil
	}
	for _, one := range holding {
		names = append(names, one.Repo)
	}
	return names, err
}

// resyncFailed makes a resync due for the pipelines of an account, and those that name its repositories, if their files
// could not be taken over: the missing permission of another repository, or access to it, may be there now. If access
// was regained it does so for all of them, twice, because webhooks did not report the changes meanwhile.
func (in *Intake) resyncFailed(tx *store.Tx, from *handlers.From, regained bool) error {
	rows, err := tx.Pipelines.All()
	if err != nil {
		return err
	}
	return work.RecordAll(rows, func(row store.PipelineRow) error {
		if row.ConfigError == "" && !regained {
			return nil
		}
		if concerns, err := in.concerns(tx, row, from); err != nil || !concerns {
			return err
		}
		if regained {
			return tx.Clocks.AskResyncs(row.ID, showsWithin)
		}
		return tx.Clocks.AskResync(row.ID)
	})
}

// concerns reports whether what happens in an account concerns a pipeline: the pipeline lives there, its files in force
// name a repository there, or a repository there allows it. A repository that the pipeline only names does not count:
// otherwise a resync would tell whoever named it that something happened there.
func (in *Intake) concerns(tx *store.Tx, row store.PipelineRow, from *handlers.From) (bool, error) {
	of := func(o string) bool { return strings.EqualFold(o, string(from.Account.Login)) }
	if row.Installation == from.Installation || of(row.Repo.Owner()) ||
		pipelines.NamesOwner(in.learn.Files.Before(row), of) {
		return true, nil
	}
	owners, err := tx.Names.ConsentingOwners(row.Repo)
	return slices.ContainsFunc(owners, of), err
}

// concernsFiles reports whether a push may have changed what a pipeline file names: an inventory, or which targets its
// globs find. If newer pipeline files are not in use, the cause may be such a file.
func (in *Intake) concernsFiles(ctx context.Context, from *handlers.From, p *handlers.Push) (bool, error) {
	if len(p.OnDefault) == 0 {
		return false, nil
	}
	row, err := in.Home(ctx, from.RepoID)
	if err != nil || row.ID == 0 || row.ConfigError != "" {
		return row.ID != 0, err
	}
	if slices.ContainsFunc(in.learn.Files.Before(row).Inventories,
		func(path string) bool { return slices.Contains(p.OnDefault, path) }) {
		return true, nil
	}
	return len(p.Moved) > 0 && slices.ContainsFunc(config.Globs(&config.Meter{}, row.Config, pipelines.FoundIn(row)),
		func(g config.Glob) bool { return slices.ContainsFunc(p.Moved, g.Concerns) }), nil
}

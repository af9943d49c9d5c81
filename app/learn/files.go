package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// pipelinePaths are where the files lie that define a pipeline, or are taken for such files. They are read from the
// default branch of the home repository only, never from a pull request (T23).
var pipelinePaths = append(slices.Sorted(maps.Keys(config.Misnamed)),
	config.PipelinePath, config.PolicyPath, config.PartsPath)

// IsPipelineFile reports whether a file of the home repository defines the pipeline there, or is taken for one that
// does.
func IsPipelineFile(file string) bool {
	return file == config.PipelinePath || file == config.PolicyPath || config.Misnamed[file] != "" ||
		config.PartOf(file) != ""
}

// FilesOf are the paths of what defines a pipeline as it is: its inventories, too.
func FilesOf(p *promotion.Pipeline) []string { return slices.Concat(pipelinePaths, p.Inventories) }

// LoadStored compiles the stored pipelines. It makes a sweep for missed deliveries due, and also the deliveries that
// GitHub was asked to repeat and that have not come. Nothing is decided before the sweep.
func (fs *Files) LoadStored(ctx context.Context) error {
	rows, err := fs.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := fs.Pipelines.Compiled(row); err != nil {
			zerolog.Ctx(ctx).Error().Err(err).Str(work.KeyRepo, string(row.Repo)).Msg("pipeline is out of use")
		}
	}
	return fs.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Inbox.AskAnew(); err != nil {
			return err
		}
		return tx.Inbox.SweepFirst()
	})
}

// ReadPipeline reads the pipeline files of a repository, and returns how to record them, and the head of the default
// branch at which it has read them; empty if it could read none.
func (fs *Files) ReadPipeline(
	ctx context.Context, installation int64, repo promotion.Repo,
) (rec work.Record, head promotion.SHA, err error) {
	client, err := fs.Hub.Installation(installation, repo)
	if err != nil {
		return nil, "", err
	}
	base, err := client.Files.Read(ctx, "", pipelinePaths)
	if errors.Is(err, gh.ErrNotFound) || errors.Is(err, gh.ErrNoAccess) {
		return nil, "", nil // gone, empty, or out of reach: the stored files stay in force
	}
	if err != nil {
		return nil, "", err
	}
	room, err := fs.makeRoom(ctx, base.RepoID, repo)
	if err != nil {
		return nil, "", err
	}
	consents, err := fs.noteConsents(ctx, repo, base)
	if err != nil {
		return nil, "", err
	}
	rec, err = fs.takeOver(ctx, installation, repo, base)
	return work.InOrder([]work.Record{room, consents, rec}), base.SHA, err
}

// takeOver compiles the pipeline files of a base head. A bad file never replaces the last good one.
func (fs *Files) takeOver(
	ctx context.Context, installation int64, repo promotion.Repo, base gh.Base,
) (work.Record, error) {
	row := store.PipelineRow{
		ID: base.RepoID, Repo: repo, Installation: installation, Branch: base.Branch, ConfigSHA: base.SHA,
		ReadAt: fs.Hub.Told(),
	}
	exists, p, trouble, err := fs.compile(ctx, &row, base)
	if err == nil {
		row.Renamed, err = fs.isRenamed(ctx, row)
	}
	switch {
	case err != nil:
		return nil, err
	case exists && (p == nil || len(p.Stages) == 0 && trouble != ""):
		return func(tx *store.Tx) error { return fs.keepLastGood(tx, row, trouble) }, nil
	case !exists || len(p.Stages) == 0: // there may be a file that only allows others to name this repository
		return func(tx *store.Tx) error { return fs.retire(tx, row) }, nil
	}
	row.ConfigError = trouble
	refusal, err := fs.notAllowed(ctx, row.ID, p)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return func(tx *store.Tx) error { return fs.keepLastGood(tx, row, refusal) }, nil
	}
	begin, err := fs.startingHeads(ctx, row, p)
	if err != nil {
		return nil, err
	}
	merged, err := fs.mergedBefore(ctx, row, p)
	if err != nil {
		return nil, err
	}
	return work.InOrder([]work.Record{func(tx *store.Tx) error { return fs.install(tx, row, p) }, begin, merged}), nil
}

// compile compiles the pipeline files of a base head, with what they name in its commit, and sets them in a row. exists
// says whether there are any. trouble says what is wrong with them. If only some parts are wrong, the pipeline is that
// of the others and of their last good versions. What is named in a commit is looked for once.
func (fs *Files) compile(
	ctx context.Context, row *store.PipelineRow, base gh.Base,
) (exists bool, p *promotion.Pipeline, trouble string, err error) {
	old, err := fs.Home(ctx, row.ID)
	if err != nil {
		return false, nil, "", err
	}
	client, err := fs.Client(row.Repo)
	if err != nil {
		return false, nil, "", err
	}
	exists, trouble, err = setFiles(ctx, client, base.Files, 0, row, readBefore(old))
	switch {
	case err != nil || !exists || trouble != "":
		return exists, nil, trouble, err
	case old.ConfigSHA == row.ConfigSHA && old.ConfigError == "":
		row.Found = old.Found
	default:
		if trouble, err = FindTargets(ctx, client, row.ConfigSHA, row); err != nil || trouble != "" {
			return true, nil, trouble, err
		}
	}
	p, problems := fs.Pipelines.Load(*row)
	if problems.Err() == nil {
		return true, p, "", nil
	}
	trouble = problems.Err().Error()
	if withGoodParts(row, old, problems) {
		if p, problems = fs.Pipelines.Load(*row); problems.Err() == nil {
			return true, p, trouble + "\nThe other pipeline files are in force.", nil
		}
	}
	return true, nil, trouble, nil
}

// isRenamed reports whether the default branch of a home has another name than Waybill knows, and is the same branch:
// nothing has the old name any more.
func (fs *Files) isRenamed(ctx context.Context, row store.PipelineRow) (bool, error) {
	old, err := fs.Home(ctx, row.ID)
	if err != nil || old.ID == 0 || old.Branch == row.Branch {
		return false, err
	}
	client, err := fs.Client(row.Repo)
	if err != nil {
		return false, err
	}
	head, err := client.Branches.Head(ctx, old.Branch)
	return err == nil && head == "", err
}

// install puts new pipeline files in force.
func (fs *Files) install(tx *store.Tx, row store.PipelineRow, p *promotion.Pipeline) error {
	old, err := tx.Pipelines.ByID(row.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	before := fs.Before(old)
	row.ResyncEvery = p.Resync
	if err := tx.Pipelines.Save(row, p); err != nil {
		return err
	}
	if err := tx.Names.KeepAllowances(p.Home, row.ID, p.Names); err != nil {
		return err
	}
	if err := errors.Join(views.RejectJobs(tx, row.ID, before, p), followGuards(tx, row.ID, before, p)); err != nil {
		return err
	}
	fs.Pipelines.Put(row, p)
	if old.ConfigError == "" && row.ConfigError == "" {
		return nil
	}
	return views.WantConfigCheck(tx, row)
}

// Before returns the meaning of a stored pipeline; a pipeline without stages if its files cannot be compiled any more.
func (fs *Files) Before(old store.PipelineRow) *promotion.Pipeline {
	p, err := fs.Pipelines.Compiled(old)
	if err != nil {
		return pipelines.Empty(old)
	}
	return p
}

// keepLastGood stores the error of new pipeline files and keeps the old ones in force.
func (fs *Files) keepLastGood(tx *store.Tx, bad store.PipelineRow, trouble string) error {
	row, err := tx.Pipelines.ByID(bad.ID)
	if errors.Is(err, store.ErrNotFound) {
		row = bad
		row.Config, row.Policy, row.Found = nil, nil, nil
	} else if err != nil {
		return err
	}
	row.Repo = bad.Repo // another repository may have the old name by now
	row.Installation = bad.Installation
	row.Branch, row.Renamed = bad.Branch, bad.Renamed
	row.ConfigSHA, row.ConfigError = bad.ConfigSHA, trouble
	var p *promotion.Pipeline
	if len(row.Config) > 0 {
		if p, err = fs.Pipelines.Compiled(row); err != nil {
			return err
		}
	}
	if err := tx.Pipelines.Save(row, p); err != nil {
		return err
	}
	return views.WantConfigCheck(tx, row)
}

// retire ends all open work of a pipeline whose files are gone, or have no stages any more.
func (fs *Files) retire(tx *store.Tx, row store.PipelineRow) error {
	old, err := tx.Pipelines.ByID(row.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fs.retireAfter(tx, row, old)
}

// retireAfter ends all open work of a pipeline that was another one before.
func (fs *Files) retireAfter(tx *store.Tx, row, old store.PipelineRow) error {
	before := fs.Before(old)
	row.Config, row.Policy, row.Found = nil, nil, nil
	p := pipelines.Empty(row)
	if err := tx.Pipelines.Save(row, p); err != nil {
		return err
	}
	if err := tx.Names.KeepAllowances(p.Home, row.ID, p.Names); err != nil {
		return err
	}
	if err := errors.Join(views.RejectJobs(tx, row.ID, before, p), followGuards(tx, row.ID, before, p)); err != nil {
		return err
	}
	fs.Pipelines.Put(row, p)
	return nil
}

// notAllowed returns the reason why a pipeline may not name its other repositories; empty if it may (semantics 7.8).
func (fs *Files) notAllowed(ctx context.Context, home int64, p *promotion.Pipeline) (string, error) {
	for _, f := range p.Elsewhere() {
		refusal, err := fs.Refusal(ctx, f.Repo, p.Home, home)
		switch {
		case errors.Is(err, gh.ErrMisspelt): // of another owner's it is known that it allows the pipeline
			refusal, err = fmt.Sprintf("%s: %s", f.Repo, gh.Explain(err).Detail), nil
		case errors.Is(err, gh.ErrNoAccess):
			why := fmt.Sprintf("the App cannot reach %s; install it there, too (%s)", f.Repo, gh.Explain(err).Detail)
			if errors.Is(err, gh.ErrLacking) {
				why = fmt.Sprintf("%s in %s; an owner of %s has to accept it", gh.Explain(err).Detail, f.Repo, f.Repo.Owner())
			}
			refusal, err = closedTo(f.Repo, p.Home, home, why), nil
		}
		if err != nil {
			return "", fmt.Errorf("ask whether %s allows %s: %w", f.Repo, p.Home, err)
		}
		if refusal != "" {
			return f.By + ": " + refusal, nil
		}
	}
	return "", nil
}

// Refusal returns the reason why the pipeline of the repository home may not name a repository; empty if it may. An
// installation of the App must reach the repository, and the repository must allow the pipeline: without that, a
// pipeline could use the App's rights where its authors have none. Both must be the repositories that the other one
// means by their names; homeID is GitHub's id of the home now.
func (fs *Files) Refusal(ctx context.Context, repo, home promotion.Repo, homeID int64) (string, error) {
	served, err := fs.Owners.Serves(ctx, promotion.Actor{Login: promotion.Login(repo.Owner())})
	if err != nil {
		return "", err
	}
	if !served {
		return fmt.Sprintf("this server does not work for %s; add it to "+
			"WAYBILL_ALLOWED_OWNERS, or leave out %s", repo.Owner(), repo), nil
	}
	if asks, err := fs.mayAsk(ctx, repo, home, homeID); err != nil || !asks {
		return closedTo(repo, home, homeID, ""), err
	}
	client, err := fs.Client(repo)
	if err != nil {
		return "", err
	}
	base, err := client.Files.Read(ctx, "", []string{config.PipelinePath})
	if err != nil && !errors.Is(err, gh.ErrNotFound) { // an empty repository allows nothing
		return "", err
	}
	allowed, _ := config.Allowed(config.PipelinePath, []byte(base.Files[config.PipelinePath].Content))
	now := store.Allowance{Repo: repo, RepoID: base.RepoID, Home: home, HomeID: homeID}
	if said, is := allowed[home]; is {
		return fs.sameAsBefore(ctx, now, said)
	}
	if err := fs.endAllowance(ctx, now); err != nil {
		return "", err
	}
	return closedTo(repo, home, homeID, fmt.Sprintf("%s does not allow it; its %s must have `allow: [%s]`", repo,
		config.PipelinePath, home)), nil
}

// closedTo says that a pipeline may not name a repository. Why is said to the same owner only. Of a repository of
// others it says the same whether that exists, was renamed, has the App, or does not allow the pipeline: else whoever
// writes a pipeline file could find out about it (mayAsk).
func closedTo(repo, home promotion.Repo, homeID int64, why string) string {
	if strings.EqualFold(repo.Owner(), home.Owner()) {
		return why
	}
	return fmt.Sprintf("%s is not open to %s: install the App there, and have its %s say `allow: [%s]`, or "+
		"`allow: [%s:%d]` if it says that already", repo, home, config.PipelinePath, home, home, homeID)
}

// errChanged has a plan made again, by the newer pipeline files.
var errChanged = fmt.Errorf("plan by newer pipeline files: %w", gh.ErrTransient)

// Reread takes over the pipeline files that a plan finds, if they are not those of its decision. It returns errChanged
// if the new files are in force, so that the plan is made again, and nil if they are not usable.
func (fs *Files) Reread(ctx context.Context, row store.PipelineRow, base gh.Base) error {
	if row.ConfigSHA == base.SHA || isMadeOf(row, base.Files) {
		return nil
	}
	rec, err := fs.takeOver(ctx, row.Installation, row.Repo, base)
	if err != nil {
		return err
	}
	unchanged := false
	err = fs.Store.Update(ctx, func(tx *store.Tx) error {
		if err := work.InOrder([]work.Record{rec})(tx); err != nil {
			return err
		}
		now, err := tx.Pipelines.ByID(row.ID)
		unchanged = now.ConfigError != "" && now.SameFiles(row)
		return err
	})
	if err != nil || unchanged {
		return err
	}
	return errChanged
}

// inventoriesIn returns the contents of inventories, by their paths.
func inventoriesIn(files map[string]gh.File, paths []string) map[string]string {
	contents := map[string]string{}
	for _, path := range paths {
		if f := files[path]; f.Exists {
			contents[path] = f.Content
		}
	}
	return contents
}

// isMadeOf reports whether files are those that a pipeline is made of.
func isMadeOf(row store.PipelineRow, files map[string]gh.File) bool {
	found := pipelines.FoundIn(row)
	return unreadable(files) == "" && mainFile(files) == string(row.Config) &&
		files[config.PolicyPath].Content == string(row.Policy) && string(files[config.PartsPath].Tree) == found.PartsTree &&
		maps.Equal(found.Inventories, inventoriesIn(files, config.Inventories(row.Config, found.Parts)))
}

// unreadable says which of the pipeline files that are there cannot be read, and why; "" if all can. None counts as
// absent then: without its policy a pipeline would have no rules.
func unreadable(files map[string]gh.File) string {
	for _, path := range pipelinePaths {
		switch f := files[path]; {
		case !f.Exists:
		case config.Misnamed[path] != "":
			return config.NotRead(path)
		case path == config.PartsPath && f.Tree == "":
			return path + " is no folder; remove it, or make it a folder of pipeline files"
		case path == config.PartsPath:
		case f.Unfit != "":
			return fmt.Sprintf("%s cannot be read: %s", path, f.Unfit)
		case f.Content == "":
			return path + ": " + config.EmptyFile
		}
	}
	return ""
}

// mainFile returns the pipeline file that parts join.
func mainFile(files map[string]gh.File) string {
	main := files[config.PipelinePath]
	if !main.Exists && files[config.PartsPath].Tree != "" {
		return config.PartsAlone
	}
	return main.Content
}

// startingHeads asks for the heads of branches whose pushes become freight of a new warehouse. Commits up to there are
// no freight.
func (fs *Files) startingHeads(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline) (work.Record, error) {
	var all []work.Record
	for _, w := range p.Warehouses {
		if w.Kind != promotion.FromPushes {
			continue
		}
		err := fs.Store.View(ctx, func(tx *store.Tx) error {
			_, err := tx.Warehouses.Since(row.ID, w)
			return err
		})
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		client, err := fs.Client(w.Repo)
		if err != nil {
			return nil, err
		}
		head, err := client.Branches.Head(ctx, w.Branch)
		if err != nil {
			return nil, err
		}
		all = append(all, func(tx *store.Tx) error { return tx.Warehouses.MoveReached(row.ID, w, "", head) })
	}
	return work.InOrder(all), nil
}

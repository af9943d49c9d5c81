package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// pipelineFiles are the files that make a pipeline. They are read from the default branch of the home repository only,
// never from a pull request (T23).
var pipelineFiles = []string{config.PipelinePath, config.PolicyPath}

// recall compiles every pipeline that the database knows, and asks for what was missed meanwhile, and once more for
// what did not come to the process before.
func (a *App) recall(ctx context.Context) error {
	rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := a.pipelines.compiled(row); err != nil {
			zerolog.Ctx(ctx).Error().Err(err).Str(keyRepo, string(row.Repo)).Msg("pipeline is out of use")
		}
	}
	return a.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Inbox.AskAnew(); err != nil {
			return err
		}
		return tx.Inbox.AskSweep()
	})
}

// rows returns the stored pipelines.
func (a *App) rows(ctx context.Context) (rows []store.PipelineRow, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		rows, err = tx.Ledger.Pipelines()
		return err
	})
	return rows, err
}

// reload reads the pipeline files of every repository where a delivery says that they, or the targets that they find,
// may have changed.
func (a *App) reload(ctx context.Context, f *handlers.Facts) (record, error) {
	moved, err := a.comesOrGoes(ctx, f)
	if err != nil || !moved && !f.ConfigTouched && f.Access == nil && f.Repository == nil {
		return nil, err
	}
	repos := []handlers.Repository{{ID: f.RepoID, Name: f.Repo}}
	if f.Access != nil {
		repos = f.Access.Added
	}
	var all []record
	for _, r := range repos {
		rec, err := a.readPipeline(ctx, f.Installation, r.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(append(all, func(tx *store.Tx) error { return a.tryAgain(tx, f) })), nil
}

// tryAgain has the pipelines of an account, and those that name its repositories, resynced whose files could not be
// taken over: what another repository allows, or that the App reaches it, may have been what was missing. All of them
// are when something can be reached again: nobody has told of what happened meanwhile.
func (a *App) tryAgain(tx *store.Tx, f *handlers.Facts) error {
	rows, err := tx.Ledger.Pipelines()
	if err != nil {
		return err
	}
	return recordAll(rows, func(row store.PipelineRow) error {
		if row.ConfigError == "" && !f.Regained() || row.Installation != f.Installation && !a.needs(row, whose(*f)) {
			return nil
		}
		return tx.Clocks.AskResync(row.ID)
	})
}

// needs reports whether a pipeline names a repository of an account, or has trouble with one that newer files name: the
// trouble says with which.
func (a *App) needs(row store.PipelineRow, account string) bool {
	return names(a.before(row), func(o string) bool { return strings.EqualFold(o, account) }) ||
		strings.Contains(strings.ToLower(row.ConfigError), " "+strings.ToLower(account)+"/")
}

// readPipeline reads the pipeline files of a repository and returns what is to be written of them.
func (a *App) readPipeline(ctx context.Context, installation int64, repo promotion.Repo) (record, error) {
	client, err := a.hub.Installation(installation, repo)
	if err != nil {
		return nil, err
	}
	base, err := client.Read(ctx, "", pipelineFiles)
	if errors.Is(err, gh.ErrNotFound) || errors.Is(err, gh.ErrNoAccess) {
		return nil, nil // gone, empty, or out of reach: what is known stays as it is until we hear otherwise
	}
	if err != nil {
		return nil, err
	}
	return a.takeOver(ctx, installation, repo, base)
}

// takeOver compiles the pipeline files of a base head. A bad file never replaces the last good one.
func (a *App) takeOver(ctx context.Context, installation int64, repo promotion.Repo, base gh.Base) (record, error) {
	row := store.PipelineRow{
		ID: base.RepoID, Repo: repo, Installation: installation, Branch: base.Branch, ConfigSHA: base.SHA,
		Config: []byte(base.Files[config.PipelinePath].Content), Policy: []byte(base.Files[config.PolicyPath].Content),
	}
	if !base.Files[config.PipelinePath].Exists {
		return func(tx *store.Tx) error { return a.retire(tx, row) }, nil
	}
	p, trouble, err := a.compile(ctx, &row)
	if err != nil {
		return nil, err
	}
	if trouble != "" {
		return func(tx *store.Tx) error { return a.keepLastGood(tx, row, trouble) }, nil
	}
	if len(p.Stages) == 0 {
		return nil, nil // a file that only allows others to name this repository
	}
	refusal, err := a.notAllowed(ctx, p)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return func(tx *store.Tx) error { return a.keepLastGood(tx, row, refusal) }, nil
	}
	begin, err := a.beginnings(ctx, row, p)
	if err != nil {
		return nil, err
	}
	return inOrder([]record{func(tx *store.Tx) error { return a.install(tx, row, p) }, begin}), nil
}

// compile looks for the targets of pipeline files in their commit and compiles them, or tells what is wrong with them.
// What has been found in a commit before is found there again.
func (a *App) compile(ctx context.Context, row *store.PipelineRow) (p *promotion.Pipeline, trouble string, err error) {
	old, err := a.home(ctx, row.ID)
	if err != nil {
		return nil, "", err
	}
	if row.Found = old.Found; old.ConfigSHA != row.ConfigSHA || old.ConfigError != "" {
		client, err := a.client(row.Repo)
		if err != nil {
			return nil, "", err
		}
		if trouble, err = a.find(ctx, client, row.ConfigSHA, row); err != nil || trouble != "" {
			return nil, trouble, err
		}
	}
	p, problems := a.pipelines.load(*row)
	if wrong := problems.Err(); wrong != nil {
		trouble = wrong.Error()
	}
	return p, trouble, nil
}

// install puts new pipeline files in force.
func (a *App) install(tx *store.Tx, row store.PipelineRow, p *promotion.Pipeline) error {
	old, err := tx.Ledger.Pipeline(row.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	before := a.before(old)
	row.ResyncEvery = p.Resync
	if err := tx.Ledger.SavePipeline(row, p); err != nil {
		return err
	}
	if err := errors.Join(lower(tx, row.ID, before, p), reguard(tx, row.ID, before, p)); err != nil {
		return err
	}
	a.pipelines.put(row, p)
	if old.ConfigError == "" {
		return nil
	}
	return a.wantConfigCheck(tx, row)
}

// before returns what a pipeline meant until now: nothing, if that cannot be read any more.
func (a *App) before(old store.PipelineRow) *promotion.Pipeline {
	p, err := a.pipelines.compiled(old)
	if err != nil {
		return without(old)
	}
	return p
}

// keepLastGood notes what is wrong with new pipeline files and leaves those in force that were.
func (a *App) keepLastGood(tx *store.Tx, bad store.PipelineRow, trouble string) error {
	row, err := tx.Ledger.Pipeline(bad.ID)
	if errors.Is(err, store.ErrNotFound) {
		row = bad
		row.Config, row.Policy, row.Found = nil, nil, nil
	} else if err != nil {
		return err
	}
	row.ConfigSHA, row.ConfigError = bad.ConfigSHA, trouble
	var p *promotion.Pipeline
	if len(row.Config) > 0 {
		if p, err = a.pipelines.compiled(row); err != nil {
			return err
		}
	}
	if err := tx.Ledger.SavePipeline(row, p); err != nil {
		return err
	}
	return a.wantConfigCheck(tx, row)
}

// retire ends everything that a pipeline has open whose file is gone: it has no stages any more.
func (a *App) retire(tx *store.Tx, row store.PipelineRow) error {
	old, err := tx.Ledger.Pipeline(row.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	before := a.before(old)
	row.Config, row.Policy, row.Found = nil, nil, nil
	p := without(row)
	if err := tx.Ledger.SavePipeline(row, p); err != nil {
		return err
	}
	if err := errors.Join(lower(tx, row.ID, before, p), reguard(tx, row.ID, before, p)); err != nil {
		return err
	}
	a.pipelines.put(row, p)
	return nil
}

// notAllowed returns why a pipeline may not name the repositories that it names (semantics 7.8).
func (a *App) notAllowed(ctx context.Context, p *promotion.Pipeline) (string, error) {
	for _, f := range p.Elsewhere() {
		refusal, err := a.refusal(ctx, f.Repo, p.Home)
		if errors.Is(err, gh.ErrNoAccess) {
			refusal, err = fmt.Sprintf("the App cannot reach %s; install it there, too (%s)", f.Repo, gh.Explain(err).Detail), nil
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

// refusal returns why the pipeline of another repository may not name a repository; empty if it may. The App must reach
// it, by whichever installation, and it must allow the pipeline, so that nobody borrows the App's rights.
func (a *App) refusal(ctx context.Context, repo, home promotion.Repo) (string, error) {
	if !a.allowed(owner(repo)) {
		return fmt.Sprintf("this server does not work for %s; add it to WAYBILL_ALLOWED_OWNERS, or leave out %s", owner(repo), repo), nil
	}
	client, err := a.client(repo)
	if err != nil {
		return "", err
	}
	base, err := client.Read(ctx, "", []string{config.PipelinePath})
	if err != nil && !errors.Is(err, gh.ErrNotFound) { // an empty repository allows nothing
		return "", err
	}
	allowed, _ := config.Allowed(config.PipelinePath, []byte(base.Files[config.PipelinePath].Content))
	if slices.Contains(allowed, home) {
		return "", nil
	}
	return fmt.Sprintf("%s does not allow it; its %s must have `allow: [%s]`", repo, config.PipelinePath, home), nil
}

// errChanged has a plan made again, by the pipeline files that it found.
var errChanged = fmt.Errorf("plan by newer pipeline files: %w", gh.ErrTransient)

// reread takes over the pipeline files that a plan finds when they are not those that were decided with. The plan is
// then made again, unless the new files are no good.
func (a *App) reread(ctx context.Context, j *job, base gh.Base) error {
	pipeline, policy := base.Files[config.PipelinePath].Content, base.Files[config.PolicyPath].Content
	if pipeline == string(j.row.Config) && policy == string(j.row.Policy) || j.row.ConfigSHA == base.SHA {
		return nil
	}
	rec, err := a.takeOver(ctx, j.row.Installation, j.pipeline.Home, base)
	if err != nil {
		return err
	}
	bad := false
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		if err := inOrder([]record{rec})(tx); err != nil {
			return err
		}
		now, err := tx.Ledger.Pipeline(j.row.ID)
		bad = now.ConfigError != ""
		return err
	})
	if err != nil || bad {
		return err
	}
	return errChanged
}

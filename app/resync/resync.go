package resync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/internal/contain"
	"waybill/promotion"
	"waybill/store"
)

// Resyncer compares the stored facts with GitHub.
type Resyncer struct {
	*env.Env
	learn   *learn.Learn
	started time.Time
	looked  looked
}

// New returns a Resyncer that records its findings by l.
func New(e *env.Env, l *learn.Learn) *Resyncer {
	return &Resyncer{Env: e, learn: l, started: e.Clock()}
}

// Take takes the next pipeline that is due. A resync sends one request after the other, which spreads the requests of
// pipelines that are due together, as after an outage or a restart.
func (r *Resyncer) Take(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	return r.TakeOnTime(ctx, store.ClockResync, r.Workers.Claim(c, work.LongLease), r.resync)
}

// All looks for pipelines that webhooks did not report, and resyncs all of them now (semantics 6).
func (r *Resyncer) All(ctx context.Context) error {
	if err := r.AtOnce(ctx, store.ClockDiscovery, 0, r.discovery); err != nil {
		return err
	}
	rows, err := r.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := r.Pipeline(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

// Pipeline resyncs one pipeline now, due or not.
func (r *Resyncer) Pipeline(ctx context.Context, id int64) error {
	return r.AtOnce(ctx, store.ClockResync, id, r.resync)
}

// resync asks GitHub for all facts of a pipeline and records them in one transaction. It decides nothing, retries
// nothing and lifts nothing, and known facts change nothing. A resync that fails keeps the facts that it has read,
// reports that, and is tried again later. One that the server has died of again and again keeps nothing waiting.
func (r *Resyncer) resync(ctx context.Context, c *store.Clock) error {
	began := r.Clock()
	var row store.PipelineRow
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Pipelines.ByID(c.Pipeline)
		return err
	})
	if err != nil {
		return err
	}
	if c.Lease.Deadly() {
		err = r.Store.Update(store.Holding(ctx, c.Lease), func(tx *store.Tx) error { return tx.Recovery.MarkFresh(row.ID) })
		if err != nil {
			return err
		}
	}
	err = r.RunClock(ctx, c, work.InResync, work.ClockBackoff,
		func(ctx context.Context) (work.Record, error) { return r.readAll(ctx, row, c) })
	r.WakeOfFacts() // one that fails keeps facts, too
	var later *work.ErrLater
	if err == nil || errors.As(err, &later) {
		r.Metrics.Resynced(row.Repo, r.Clock(), r.Clock().Sub(began), err)
	}
	if err != nil {
		return fmt.Errorf("resync %s: %w", row.Repo, err)
	}
	zerolog.Ctx(ctx).Info().Str(work.KeyRepo, string(row.Repo)).Msg("resynced")
	return nil
}

// survey is the data of one resync of a pipeline.
type survey struct {
	row    store.PipelineRow
	began  time.Time // by GitHub's clock
	p      *promotion.Pipeline
	client *gh.Client // for the home repository
	head   gh.Head
	known  store.Outlook
	files  []*branch               // the branches of stages' files, that of the pipeline file first
	found  []promotion.Freight     // that was not recorded
	built  []promotion.SHA         // pushed heads that are such freight
	lost   error                   // why a repository could not be read
	same   map[promotion.Repo]bool // other repositories that are those which the pipeline means
}

// inRepo calls see with the client of one repository. If the App does not reach the repository, inRepo notes that and
// leaves it out: the other repositories do not wait for it, and the resync is made again.
func (r *Resyncer) inRepo(ctx context.Context, l *survey, repo promotion.Repo, see func(*gh.Client) error) error {
	client, err := r.Client(repo)
	if err != nil {
		return err
	}
	if err = client.Missing(ctx, r.seeIn(ctx, l, client, repo, see)); errors.Is(err, gh.ErrNoAccess) {
		l.lost, err = err, nil
	}
	return err
}

// seeIn calls see with the client of a repository, unless that has only the name of the one that the pipeline means.
func (r *Resyncer) seeIn(
	ctx context.Context, l *survey, client *gh.Client, repo promotion.Repo, see func(*gh.Client) error,
) error {
	if repo != l.row.Repo && !l.same[repo] {
		id, err := client.ID(ctx)
		if err != nil {
			return err
		}
		took, err := r.Store.TookName(ctx, repo, id)
		if err != nil {
			return err
		}
		if took {
			return fmt.Errorf("%w: %s is another repository than it was, with the same name", gh.ErrNoAccess, repo)
		}
		l.same[repo] = true
	}
	return see(client)
}

// branch is the data of a resync on one branch.
type branch struct {
	store.FilesOutlook
	client *gh.Client    // for its repository
	head   promotion.SHA // of the branch
}

// moved reports whether the branch of the pipeline file has moved since the last complete resync.
func (l *survey) moved() bool { return l.head.SHA != l.row.Head || l.head.Branch != l.row.Branch }

// enough is how often the resync of a stale pipeline may fail, which takes half an hour. Then it is decided with the
// facts that could be read: what GitHub does not tell in half an hour it may never tell.
const enough = 5

// readAll asks for all facts of a pipeline, and returns how to record them. If some could not be read, it returns the
// error as well. A stale pipeline is fresh when nothing is missing, or when what people have asked for is known and the
// rest has been missing for long.
func (r *Resyncer) readAll(ctx context.Context, row store.PipelineRow, c *store.Clock) (work.Record, error) {
	if row.Repo.HasLeft() {
		return func(tx *store.Tx) error { return tx.Clocks.Resynced(c, "", r.Hub.Time()) }, nil
	}
	l, err := r.begin(ctx, row)
	if errors.Is(err, gh.ErrNoAccess) && c.Failures < enough { // the home may have another name, or another owner
		return func(tx *store.Tx) error { return tx.Clocks.AskDiscovery() }, err
	}
	if err != nil {
		return nil, err
	}
	if l.head.RepoID != row.ID {
		return r.underItsName(ctx, row, c)
	}
	asked, err := r.readEach(ctx, l, r.rereadTraces, r.rereadHolds)
	rest, missing := r.readEach(ctx, l, r.rereadFreight, r.rereadHeads, r.rereadImages, r.rereadPulls, r.rereadPushes,
		r.rereadSignals, r.rereadRuns, r.rereadFiles, r.rereadCandidates, r.rereadShown, r.rereadRules)
	all := []work.Record{asked, rest}
	if err == nil && missing == nil {
		all = append(all, func(tx *store.Tx) error { return tx.Readiness.OutdateLacking(row.ID) })
	}
	if err == nil && missing == nil || !work.Transient(err) && c.Failures >= enough {
		all = append(all, r.markFresh(ctx, l, cmp.Or(err, missing)))
	}
	switch {
	case err != nil || missing != nil:
		return work.InOrder(all), cmp.Or(err, missing)
	case l.lost != nil:
		return work.InOrder(all), fmt.Errorf("%w; the rest has been looked at", l.lost)
	}
	return work.InOrder(append(all, func(tx *store.Tx) error { return tx.Clocks.Resynced(c, l.head.SHA, l.began) })), nil
}

// underItsName asks for all facts of a pipeline whose home has left its name to another repository.
func (r *Resyncer) underItsName(ctx context.Context, old store.PipelineRow, c *store.Clock) (work.Record, error) {
	row, err := r.Home(ctx, old.ID)
	if err != nil {
		return nil, err
	}
	if row.Repo == old.Repo {
		return nil, fmt.Errorf("%w: %s is another repository than it was, with the same name", gh.ErrNoAccess, row.Repo)
	}
	return r.readAll(ctx, row, c)
}

// readEach asks for facts of several kinds, up to the first that cannot be read, and returns how to record them. What
// comes later may mean something else without what comes before: a file that our own merge changed has not drifted.
func (r *Resyncer) readEach(
	ctx context.Context, l *survey, kinds ...func(context.Context, *survey) (work.Record, error),
) (work.Record, error) {
	var all []work.Record
	for _, read := range kinds {
		if l.p == nil {
			break // its files have never been usable: it has no stages yet
		}
		err := contain.Do(func() error {
			rec, err := read(ctx, l)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return work.InOrder(all), err
		}
	}
	return work.InOrder(all), nil
}

// markFresh returns how to record that decisions may be made again. missing is why some facts could not be read.
func (r *Resyncer) markFresh(ctx context.Context, l *survey, missing error) work.Record {
	log := zerolog.Ctx(ctx).With().Str(work.KeyRepo, string(l.row.Repo)).Logger()
	switch {
	case l.row.Stale.IsZero():
		return nil
	case missing != nil:
		log.Warn().Err(missing).Msg("not everything that has happened could be read from GitHub: Waybill goes on without it")
	default:
		log.Info().Msg("caught up with GitHub: decisions are made again")
	}
	return func(tx *store.Tx) error { return tx.Recovery.MarkFresh(l.row.ID) }
}

// begin takes over the pipeline's files, if they may have changed, and reads the stored facts.
func (r *Resyncer) begin(ctx context.Context, row store.PipelineRow) (*survey, error) {
	l := &survey{row: row, same: map[promotion.Repo]bool{}}
	var err error
	if l.client, err = r.Client(row.Repo); err != nil {
		return nil, err
	}
	if l.head, err = l.client.Branches.Default(ctx); err != nil {
		return nil, err
	}
	l.began = r.Hub.Time()
	if l.head.RepoID != row.ID {
		return l, r.rereadConfig(ctx, l) // another repository has the name: this gives the pipeline its new name, or none
	}
	if l.moved() || row.ConfigError != "" {
		if err := r.rereadConfig(ctx, l); err != nil {
			return nil, err
		}
	}
	err = r.Store.View(ctx, func(tx *store.Tx) error {
		if l.row, err = tx.Pipelines.ByID(row.ID); err != nil {
			return err
		}
		l.known, err = tx.Pipelines.Outlook(row.ID)
		return err
	})
	if err == nil && len(l.row.Config) > 0 {
		l.p, err = r.Pipelines.Compiled(l.row)
	}
	if err == nil {
		err = r.findBranches(ctx, l)
	}
	return l, err
}

// findBranches asks for the heads of the branches of stages' files. That of the pipeline file is known.
func (r *Resyncer) findBranches(ctx context.Context, l *survey) error {
	l.files = []*branch{{FilesOutlook: l.known.Files[0], client: l.client, head: l.head.SHA}}
	for _, f := range l.known.Files[1:] {
		err := r.inRepo(ctx, l, f.Repo, func(client *gh.Client) error {
			head, err := client.Branches.Head(ctx, f.Name)
			if err == nil {
				l.files = append(l.files, &branch{FilesOutlook: f, client: client, head: head})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addCommit adds a commit of a branch, found by this resync, to those whose signals are read.
func (l *survey) addCommit(on promotion.Branch, commit promotion.SHA) {
	for _, f := range l.files {
		if f.Branch == on && !slices.Contains(f.Commits, commit) {
			f.Commits = append(f.Commits, commit)
		}
	}
}

// rereadConfig takes over the pipeline's files first, because they say which other facts there are.
func (r *Resyncer) rereadConfig(ctx context.Context, l *survey) error {
	rec, _, err := r.learn.Files.ReadPipeline(ctx, l.row.Installation, l.row.Repo)
	if err != nil {
		return err
	}
	return r.Store.Update(ctx, work.InOrder([]work.Record{rec}))
}

// overlap is learn.Overlap.
const overlap = learn.Overlap

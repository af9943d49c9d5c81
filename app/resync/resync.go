package resync

import (
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
	"waybill/promotion"
	"waybill/store"
)

// ResyncNext resyncs the next pipeline that is due. A worker takes one after the other, each request after the answer
// to the one before: pipelines that are due together, as after an outage, are spread by that, and a restart is no
// storm.
func (rs *Resyncer) ResyncNext(ctx context.Context) (did bool, next time.Time, err error) {
	return rs.OnTime(ctx, store.ClockResync, rs.Workers.Claim(rs.Workers.Resyncs, work.LongLease), func(ctx context.Context, c *store.Clock) error {
		rs.Overdue.Notify() // there may be more for another worker
		return rs.resync(ctx, c)
	})
}

// Resync looks for pipelines that no webhook has told of, and resyncs all there are (SEMANTICS 6), whenever that is
// asked for.
func (rs *Resyncer) Resync(ctx context.Context) error {
	if err := rs.AtOnce(ctx, store.ClockDiscovery, 0, rs.discovery); err != nil {
		return err
	}
	rows, err := rs.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := rs.ResyncPipeline(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

// ResyncPipeline resyncs one pipeline now, whether it is due or not.
func (rs *Resyncer) ResyncPipeline(ctx context.Context, id int64) error {
	return rs.AtOnce(ctx, store.ClockResync, id, rs.resync)
}

// resync asks GitHub for everything that a pipeline rests on, and records it as facts in one transaction. It decides
// nothing, retries nothing and lifts nothing: what is known already changes nothing. One that fails has changed nothing
// either, says so, and is tried again later; so is one in which some repositories were out of reach, though what there
// is in the others is recorded.
func (rs *Resyncer) resync(ctx context.Context, c *store.Clock) error {
	began := rs.Clock()
	var row store.PipelineRow
	err := rs.Store.View(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Ledger.Pipeline(c.Pipeline)
		return err
	})
	if err != nil {
		return err
	}
	err = rs.Notify(ctx, c, work.InResync, work.ClockBackoff, func(ctx context.Context) (work.Record, error) { return rs.lookAgain(ctx, row, c, began) })
	var later *work.ErrLater
	if err == nil || errors.As(err, &later) {
		rs.Metrics.Resynced(row.Repo, rs.Clock(), rs.Clock().Sub(began), err)
	}
	if err != nil {
		return fmt.Errorf("resync %s: %w", row.Repo, err)
	}
	zerolog.Ctx(ctx).Info().Str(work.KeyRepo, string(row.Repo)).Msg("resynced")
	rs.Undecided.Notify()
	rs.Shown.Notify()
	return nil
}

// look is what one resync of a pipeline works with.
type look struct {
	row    store.PipelineRow
	p      *promotion.Pipeline
	client *gh.Client // for the home repository
	head   gh.Head
	known  store.Outlook
	files  []*lookAt           // the branches that hold files of stages, the one that the pipeline lives on first
	found  []promotion.Freight // that nobody had told of
	built  []promotion.SHA     // heads that are such freight
	lost   error               // why some of it could not be looked at
}

// lookIn looks at what a pipeline has in one repository. If the App does not reach that, it is left out: what there is
// elsewhere does not wait for it, and the resync is made again.
func (rs *Resyncer) lookIn(ctx context.Context, l *look, repo promotion.Repo, see func(*gh.Client) error) error {
	client, err := rs.Client(repo)
	if err != nil {
		return err
	}
	if err = client.Missing(ctx, see(client)); errors.Is(err, gh.ErrNoAccess) {
		l.lost, err = err, nil
	}
	return err
}

// lookAt is what a resync works with on one branch.
type lookAt struct {
	store.FilesOutlook
	client *gh.Client    // for its repository
	head   promotion.SHA // of the branch
}

// moved reports whether the branch has moved since the last complete resync.
func (l *look) moved() bool { return l.head.SHA != l.row.Head || l.head.Branch != l.row.Branch }

// lookAgain asks for everything a pipeline rests on, and returns how to record it. If some of it could not be looked
// at, it returns the error as well.
func (rs *Resyncer) lookAgain(ctx context.Context, row store.PipelineRow, c *store.Clock, began time.Time) (work.Record, error) {
	l, err := rs.look(ctx, row)
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, read := range []func(context.Context, *look) (work.Record, error){
		rs.rereadFreight, rs.rereadHeads, rs.rereadImages, rs.rereadPulls, rs.rereadPushes, rs.rereadSignals, rs.rereadRuns, rs.rereadFiles, rs.rereadCandidates,
		rs.rereadShown,
	} {
		if l.p == nil {
			break // its files have never been good: there is nothing to it yet
		}
		rec, err := read(ctx, l)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	all = append(all, func(tx *store.Tx) error { return tx.Facts.OutdateLacking(row.ID) })
	if l.lost != nil {
		return work.InOrder(all), fmt.Errorf("%w; the rest has been looked at", l.lost)
	}
	return work.InOrder(append(all, func(tx *store.Tx) error { return tx.Clocks.Resynced(c, l.head.SHA, began) })), nil
}

// look takes over the pipeline's files, if they can have changed, and gathers what the database knows.
func (rs *Resyncer) look(ctx context.Context, row store.PipelineRow) (*look, error) {
	l := &look{row: row}
	var err error
	if l.client, err = rs.Client(row.Repo); err != nil {
		return nil, err
	}
	if l.head, err = l.client.Head(ctx); err != nil {
		return nil, err
	}
	if l.moved() || row.ConfigError != "" {
		if err := rs.rereadConfig(ctx, l); err != nil {
			return nil, err
		}
	}
	err = rs.Store.View(ctx, func(tx *store.Tx) error {
		if l.row, err = tx.Ledger.Pipeline(row.ID); err != nil {
			return err
		}
		l.known, err = tx.Ledger.Outlook(row.ID)
		return err
	})
	if err == nil && len(l.row.Config) > 0 {
		l.p, err = rs.Pipelines.Compiled(l.row)
	}
	if err == nil {
		err = rs.lookAround(ctx, l)
	}
	return l, err
}

// lookAround finds out where the branches are that hold files of stages. Where the pipeline lives is known.
func (rs *Resyncer) lookAround(ctx context.Context, l *look) error {
	l.files = []*lookAt{{FilesOutlook: l.known.Files[0], client: l.client, head: l.head.SHA}}
	for _, f := range l.known.Files[1:] {
		err := rs.lookIn(ctx, l, f.Repo, func(client *gh.Client) error {
			head, err := client.BranchHead(ctx, f.Name)
			if err == nil {
				l.files = append(l.files, &lookAt{FilesOutlook: f, client: client, head: head})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// also has the signals of one more commit of a branch read: one that this resync itself has found.
func (l *look) also(on promotion.Branch, commit promotion.SHA) {
	for _, f := range l.files {
		if f.Branch == on && !slices.Contains(f.Commits, commit) {
			f.Commits = append(f.Commits, commit)
		}
	}
}

// rereadConfig takes over the pipeline's files before anything else is looked at: they say what there is to look at.
func (rs *Resyncer) rereadConfig(ctx context.Context, l *look) error {
	rec, err := rs.learn.Files.ReadPipeline(ctx, l.row.Installation, l.row.Repo)
	if err != nil {
		return err
	}
	return rs.Store.Update(ctx, work.InOrder([]work.Record{rec}))
}

// overlap is how far back a resync looks behind the one before: what was merged while that one was reading.
const overlap = 10 * time.Minute

// Resyncer compares what is known with GitHub.
type Resyncer struct {
	*env.Env
	learn *learn.Learn
}

// New returns a Resyncer.
func New(e *env.Env, l *learn.Learn) *Resyncer { return &Resyncer{e, l} }

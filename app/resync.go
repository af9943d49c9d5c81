package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// resyncNext resyncs the next pipeline that is due. A worker takes one after the other, each request after the answer
// to the one before: pipelines that are due together, as after an outage, are spread by that, and a restart is no
// storm.
func (a *App) resyncNext(ctx context.Context) (did bool, next time.Time, err error) {
	return a.onTime(ctx, store.ClockResync, a.workers.claim(a.workers.Resyncs, longLease), func(ctx context.Context, c *store.Clock) error {
		a.overdue.notify() // there may be more for another worker
		return a.resync(ctx, c)
	})
}

// Resync looks for pipelines that no webhook has told of, and resyncs all there are (SEMANTICS 6), whenever that is
// asked for.
func (a *App) Resync(ctx context.Context) error {
	if err := a.atOnce(ctx, store.ClockDiscovery, 0, a.discovery); err != nil {
		return err
	}
	rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := a.ResyncPipeline(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

// ResyncPipeline resyncs one pipeline now, whether it is due or not.
func (a *App) ResyncPipeline(ctx context.Context, id int64) error {
	return a.atOnce(ctx, store.ClockResync, id, a.resync)
}

// resync asks GitHub for everything that a pipeline rests on, and records it as facts in one transaction. It decides
// nothing, retries nothing and lifts nothing: what is known already changes nothing. One that fails has changed nothing
// either, says so, and is tried again later; so is one in which some repositories were out of reach, though what there
// is in the others is recorded.
func (a *App) resync(ctx context.Context, c *store.Clock) error {
	began := a.clock()
	var row store.PipelineRow
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Ledger.Pipeline(c.Pipeline)
		return err
	})
	if err != nil {
		return err
	}
	err = a.notify(ctx, c, inResync, clockBackoff, func(ctx context.Context) (record, error) { return a.lookAgain(ctx, row, c, began) })
	var later *errLater
	if err == nil || errors.As(err, &later) {
		a.metrics.resynced(row.Repo, a.clock(), a.clock().Sub(began), err)
	}
	if err != nil {
		return fmt.Errorf("resync %s: %w", row.Repo, err)
	}
	zerolog.Ctx(ctx).Info().Str(keyRepo, string(row.Repo)).Msg("resynced")
	a.undecided.notify()
	a.shown.notify()
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
func (a *App) lookIn(ctx context.Context, l *look, repo promotion.Repo, see func(*gh.Client) error) error {
	client, err := a.client(repo)
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
func (a *App) lookAgain(ctx context.Context, row store.PipelineRow, c *store.Clock, began time.Time) (record, error) {
	l, err := a.look(ctx, row)
	if err != nil {
		return nil, err
	}
	var all []record
	for _, read := range []func(context.Context, *look) (record, error){
		a.rereadFreight, a.rereadHeads, a.rereadImages, a.rereadPulls, a.rereadPushes, a.rereadSignals, a.rereadRuns, a.rereadFiles, a.rereadCandidates,
		a.rereadShown,
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
		return inOrder(all), fmt.Errorf("%w; the rest has been looked at", l.lost)
	}
	return inOrder(append(all, func(tx *store.Tx) error { return tx.Clocks.Resynced(c, l.head.SHA, began) })), nil
}

// look takes over the pipeline's files, if they can have changed, and gathers what the database knows.
func (a *App) look(ctx context.Context, row store.PipelineRow) (*look, error) {
	l := &look{row: row}
	var err error
	if l.client, err = a.client(row.Repo); err != nil {
		return nil, err
	}
	if l.head, err = l.client.Head(ctx); err != nil {
		return nil, err
	}
	if l.moved() || row.ConfigError != "" {
		if err := a.rereadConfig(ctx, l); err != nil {
			return nil, err
		}
	}
	err = a.store.View(ctx, func(tx *store.Tx) error {
		if l.row, err = tx.Ledger.Pipeline(row.ID); err != nil {
			return err
		}
		l.known, err = tx.Ledger.Outlook(row.ID)
		return err
	})
	if err == nil && len(l.row.Config) > 0 {
		l.p, err = a.pipelines.compiled(l.row)
	}
	if err == nil {
		err = a.lookAround(ctx, l)
	}
	return l, err
}

// lookAround finds out where the branches are that hold files of stages. Where the pipeline lives is known.
func (a *App) lookAround(ctx context.Context, l *look) error {
	l.files = []*lookAt{{FilesOutlook: l.known.Files[0], client: l.client, head: l.head.SHA}}
	for _, f := range l.known.Files[1:] {
		err := a.lookIn(ctx, l, f.Repo, func(client *gh.Client) error {
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

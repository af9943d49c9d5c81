package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// Resync asks GitHub for everything that a pipeline rests on and records it as facts, pipeline by pipeline (SEMANTICS
// 6.3). It decides nothing, retries nothing and lifts nothing: what is known already changes nothing.
func (a *App) Resync(ctx context.Context) error {
	if err := a.discover(ctx); err != nil {
		return err
	}
	rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := a.resyncOne(ctx, row); err != nil {
			return fmt.Errorf("resync %s: %w", row.Repo, err)
		}
	}
	return nil
}

// discover reads the pipeline files of every repository that the App can reach.
func (a *App) discover(ctx context.Context) error {
	installations, err := a.hub.Installations(ctx)
	if err != nil {
		return err
	}
	for _, in := range installations {
		if in.Suspended || !a.allowed(string(in.Account.Login)) {
			continue
		}
		repos, err := a.hub.Repositories(ctx, in.ID)
		if err != nil {
			return fmt.Errorf("list the repositories of %s: %w", in.Account.Login, err)
		}
		for _, repo := range repos {
			rec, err := a.readPipeline(ctx, in.ID, repo.Name)
			if err != nil {
				return err
			}
			if err := a.store.Update(ctx, inOrder([]record{rec})); err != nil {
				return err
			}
		}
	}
	a.undecided.ring()
	return nil
}

// overlap is how far back a resync looks behind the one before: what was merged while that one was reading.
const overlap = 10 * time.Minute

// look is what one resync of a pipeline works with.
type look struct {
	row    store.PipelineRow
	p      *promotion.Pipeline
	client *gh.Client // for the home repository
	known  store.Outlook
	began  time.Time
}

// also has the signals of one more commit read: one that this resync itself has found.
func (l *look) also(commit promotion.SHA) {
	if !slices.Contains(l.known.Commits, commit) {
		l.known.Commits = append(l.known.Commits, commit)
	}
}

// resyncOne reads one pipeline's facts and records them in one transaction.
func (a *App) resyncOne(ctx context.Context, row store.PipelineRow) error {
	l, err := a.look(ctx, row)
	if err != nil || l == nil {
		return err
	}
	var all []record
	for _, read := range []func(context.Context, *look) (record, error){
		a.rereadFreight, a.rereadPulls, a.rereadPushes, a.rereadSignals, a.rereadFiles,
	} {
		rec, err := read(ctx, l)
		if err != nil {
			return err
		}
		all = append(all, rec)
	}
	all = append(all, func(tx *store.Tx) error { return tx.Resynced(row.ID, l.began) })
	if err := a.store.Update(ctx, inOrder(all)); err != nil {
		return err
	}
	a.undecided.ring()
	zerolog.Ctx(ctx).Info().Str(keyRepo, string(row.Repo)).Msg("resynced")
	return nil
}

// look gathers what the database knows of a pipeline; nil if its files have never been good.
func (a *App) look(ctx context.Context, row store.PipelineRow) (*look, error) {
	if len(row.Config) == 0 {
		return nil, nil
	}
	p, err := a.pipelines.compiled(row)
	if err != nil {
		return nil, err
	}
	client, err := a.client(row.Installation, row.Repo)
	if err != nil {
		return nil, err
	}
	l := &look{row: row, p: p, client: client, began: a.clock()}
	err = a.store.View(ctx, func(tx *store.Tx) error {
		l.known, err = tx.Outlook(row.ID)
		return err
	})
	return l, err
}

// rereadFreight finds pull requests that were merged since the last resync. What was merged before Waybill knew the
// pipeline is no freight.
func (a *App) rereadFreight(ctx context.Context, l *look) (record, error) {
	var found []promotion.Freight
	for _, w := range l.p.Warehouses {
		some, err := a.mergedInto(ctx, l, w)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return func(tx *store.Tx) error {
		return recordAll(found, func(f promotion.Freight) error {
			_, err := tx.RecordFreight(l.row.ID, f)
			return err
		})
	}, nil
}

// mergedInto lists the freight that a warehouse has got since the last resync.
func (a *App) mergedInto(ctx context.Context, l *look, w *promotion.Warehouse) ([]promotion.Freight, error) {
	client, err := a.client(l.row.Installation, w.Repo)
	if err != nil {
		return nil, err
	}
	merged, err := client.MergedPulls(ctx, w.Branch, l.known.ResyncedAt.Add(-overlap))
	if err != nil {
		return nil, err
	}
	var found []promotion.Freight
	for _, m := range merged {
		if isOurs(m.Head) && m.HeadRepo == w.Repo || m.MergedAt.Before(l.known.Since.Truncate(time.Second)) {
			continue
		}
		files, err := client.PullFiles(ctx, m.Number)
		if err != nil {
			return nil, err
		}
		if w.Accepts(files, m.Labels) {
			found = append(found, newFreight(w, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title))
		}
	}
	return found, nil
}

// rereadPulls looks at the open pull requests of ours. CI may have judged already what has been merged meanwhile.
func (a *App) rereadPulls(ctx context.Context, l *look) (record, error) {
	var pulls []promotion.Pull
	for _, n := range l.known.OpenPulls {
		pull, err := l.client.Mergeable(ctx, n)
		if err != nil {
			return nil, err
		}
		pulls = append(pulls, pull)
		if pull.State == promotion.PullMerged {
			l.also(pull.MergeSHA)
		}
	}
	return func(tx *store.Tx) error { return recordPulls(tx, pulls) }, nil
}

// rereadPushes looks at how the stages' branch has moved since the oldest freight that is hosted was merged.
func (a *App) rereadPushes(ctx context.Context, l *look) (record, error) {
	if len(l.known.Commits) == 0 {
		return nil, nil
	}
	pushes, err := l.client.Pushes(ctx, l.p.Branch, l.known.Commits[0])
	if err != nil {
		return nil, err
	}
	for _, push := range pushes {
		l.also(push.After)
	}
	return func(tx *store.Tx) error {
		return recordAll(pushes, func(p promotion.Push) error {
			_, err := tx.RecordPush(p)
			return err
		})
	}, nil
}

// rereadSignals looks at the signals of every commit that the stages look at.
func (a *App) rereadSignals(ctx context.Context, l *look) (record, error) {
	if len(l.known.Commits) == 0 {
		return nil, nil
	}
	signals, suites, err := l.client.Signals(ctx, l.known.Commits)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error { return recordSignals(tx, signals, suites) }, nil
}

// recordAll records facts until one cannot be recorded.
func recordAll[T any](facts []T, one func(T) error) error {
	for _, f := range facts {
		if err := one(f); err != nil {
			return err
		}
	}
	return nil
}

// isOurs reports whether a branch is a promotion's.
func isOurs(branch string) bool { return strings.HasPrefix(branch, "waybill/") }

// start is how far the resync after the start has come.
type start struct {
	done  bool
	tries int
	next  time.Time
}

// catchUp looks, once after the start, at what happened while nobody looked, and tries again until GitHub answers.
func (a *App) catchUp(ctx context.Context) (did bool, next time.Time, err error) {
	s := &a.start
	if s.done || a.clock().Before(s.next) {
		return false, s.next, nil
	}
	err = a.Resync(ctx)
	a.ready.github(err)
	if err == nil {
		*s = start{done: true}
		return true, time.Time{}, nil
	}
	s.tries++
	s.next = a.clock().Add(patience(s.tries, gh.RetryAfter(err)))
	zerolog.Ctx(ctx).Warn().Err(err).Msg("resync at start")
	return false, s.next, nil
}

package resync

import (
	"context"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// What a resync reads of a stale pipeline alone: the traces of promotions that are not in the database, and holds that
// people have asked for meanwhile. Nothing is decided before.

// TellStale logs at the start of the program how many pipelines wait for a resync.
func (r *Resyncer) TellStale(ctx context.Context) error {
	rows, err := r.Rows(ctx)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row store.PipelineRow) bool { return row.Stale.IsZero() })
	if len(rows) > 0 {
		zerolog.Ctx(ctx).Warn().Int("pipelines", len(rows)).Msg("the server was away for a while, or the database is a " +
			"copy: nothing is decided in these pipelines before they have been resynced with GitHub")
	}
	return nil
}

// rereadTraces finds promotions that GitHub shows and the database lacks, because it is an older copy, and steps of
// promotions. Their numbers are not given again, and their open pull requests are closed: the freight is promoted anew.
func (r *Resyncer) rereadTraces(ctx context.Context, l *survey) (work.Record, error) {
	if l.row.Stale.IsZero() {
		return nil, nil
	}
	var lost promotion.Number
	since := promotion.Later(l.known.ResyncedAt, l.row.Created).Add(-overlap)
	record := func(tx *store.Tx) error { return tx.Recovery.NoteLost(l.row.ID, lost) }
	for _, f := range l.files {
		if f.head == "" {
			continue
		}
		traces, err := f.client.Surfaces.NewestTraces(ctx, f.Name, since)
		if err != nil {
			return record, err
		}
		for _, t := range traces {
			n := l.p.NumberIn(f.Repo, t.Text)
			if n == 0 {
				continue
			}
			made := false
			err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
				made, err = tx.Recovery.Made(l.row.ID, n, f.Repo, t.Pull, t.Branch)
				return err
			})
			if err == nil && !made {
				lost = max(lost, n)
				err = r.closeLost(ctx, l, f.client, n, t)
			}
			if err != nil {
				return record, err
			}
		}
	}
	return record, nil
}

// closeLost closes a pull request that the database lacks: nothing would ever merge or close it. Its branch stays: the
// database does not know where Waybill left it, and a person may have pushed to it.
func (r *Resyncer) closeLost(ctx context.Context, l *survey, client *gh.Client, n promotion.Number, t gh.Trace) error {
	if !t.Open {
		return nil
	}
	zerolog.Ctx(ctx).Warn().Str(work.KeyRepo, string(l.row.Repo)).Int64(work.KeyPromotion, int64(n)).Int("pull", t.Pull).
		Msg("closed: the database is a copy from before this pull request")
	_, err := client.Pulls.Close(ctx, gh.CloseRequest{
		Pull: t.Pull, Branch: t.Branch, Marker: l.p.Marker(n),
		Comment: fmt.Sprintf("Closed: the database of Waybill was restored from a copy that does not have this pull request "+
			"of promotion %s. Its freight is promoted again if it is still wanted.", n),
	})
	return err
}

// rereadHolds asks once more for the holds that people have given or lifted in comments since the last resync. Other
// commands of a lost time are not given again: they may have been carried out.
func (r *Resyncer) rereadHolds(ctx context.Context, l *survey) (work.Record, error) {
	if l.row.Stale.IsZero() {
		return nil, nil
	}
	var all []work.Record
	for _, repo := range l.repos() {
		err := r.inRepo(ctx, l, repo, func(client *gh.Client) error {
			said, err := client.Comments.Since(ctx, l.known.ResyncedAt.Add(-overlap))
			if err != nil {
				return err
			}
			rec, err := r.learn.Requests.AskHolds(ctx, repo, said)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return work.InOrder(all), err
		}
	}
	return work.InOrder(all), nil
}

// repos lists the repositories where people comment on promotions and their sources.
func (l *survey) repos() []promotion.Repo {
	all := []promotion.Repo{l.row.Repo}
	for _, w := range l.p.Warehouses {
		all = append(all, w.Repo)
	}
	for _, f := range l.files {
		all = append(all, f.Repo)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

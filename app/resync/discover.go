package resync

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// DiscoverNext looks for pipelines when it is time to.
func (rs *Resyncer) DiscoverNext(ctx context.Context) (did bool, next time.Time, err error) {
	return rs.OnTime(ctx, store.ClockDiscovery, store.Claim{Lease: work.LongLease}, rs.discovery)
}

// discovery looks for pipelines, as often as one is resynced that does not say how often.
func (rs *Resyncer) discovery(ctx context.Context, c *store.Clock) error {
	return rs.Every(ctx, c, rs.Pipelines.Resync, rs.discover)
}

// discover reads the pipeline files of every repository that holds one and is not known by its name: it is new, or has
// been renamed. What is known is looked at by its resync.
func (rs *Resyncer) discover(ctx context.Context) error {
	installations, err := rs.Hub.Installations(ctx)
	if err != nil {
		return err
	}
	rows, err := rs.Rows(ctx)
	if err != nil {
		return err
	}
	known := map[promotion.Repo]int64{}
	for _, row := range rows {
		known[row.Repo] = row.Installation
	}
	for _, in := range installations {
		if in.Suspended || !rs.Allowed(string(in.Account.Login)) {
			continue
		}
		if err := rs.discoverIn(ctx, in, known); err != nil {
			return fmt.Errorf("discover the pipelines of %s: %w", in.Account.Login, err)
		}
	}
	return nil
}

// discoverIn looks for pipelines in one installation. One that is known from another installation has moved.
func (rs *Resyncer) discoverIn(ctx context.Context, in gh.Installation, known map[promotion.Repo]int64) error {
	repos, err := rs.Hub.Repositories(ctx, in.ID)
	if err != nil {
		return err
	}
	var unknown []promotion.Repo
	for _, repo := range repos {
		if known[repo.Name] != in.ID && !repo.Archived {
			unknown = append(unknown, repo.Name)
		}
	}
	holding, err := rs.Hub.Holding(ctx, in.ID, unknown, config.PipelinePath)
	if err != nil {
		return err
	}
	for _, repo := range holding {
		rec, err := rs.learn.Files.ReadPipeline(ctx, in.ID, repo)
		if err != nil {
			return err
		}
		if err := rs.Store.Update(ctx, work.InOrder([]work.Record{rec})); err != nil {
			return err
		}
		zerolog.Ctx(ctx).Info().Str(work.KeyRepo, string(repo)).Msg("pipeline discovered")
	}
	rs.Undecided.Notify()
	rs.Overdue.Notify()
	return nil
}

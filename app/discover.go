package app

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// discoverNext looks for pipelines when it is time to.
func (a *App) discoverNext(ctx context.Context) (did bool, next time.Time, err error) {
	return a.onTime(ctx, store.ClockDiscovery, store.Claim{Lease: longLease}, a.discovery)
}

// discovery looks for pipelines, as often as one is resynced that does not say how often.
func (a *App) discovery(ctx context.Context, c *store.Clock) error {
	return a.every(ctx, c, a.pipelines.resync, a.discover)
}

// discover reads the pipeline files of every repository that holds one and is not known by its name: it is new, or has
// been renamed. What is known is looked at by its resync.
func (a *App) discover(ctx context.Context) error {
	installations, err := a.hub.Installations(ctx)
	if err != nil {
		return err
	}
	rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	known := map[promotion.Repo]int64{}
	for _, row := range rows {
		known[row.Repo] = row.Installation
	}
	for _, in := range installations {
		if in.Suspended || !a.allowed(string(in.Account.Login)) {
			continue
		}
		if err := a.discoverIn(ctx, in, known); err != nil {
			return fmt.Errorf("discover the pipelines of %s: %w", in.Account.Login, err)
		}
	}
	return nil
}

// discoverIn looks for pipelines in one installation. One that is known from another installation has moved.
func (a *App) discoverIn(ctx context.Context, in gh.Installation, known map[promotion.Repo]int64) error {
	repos, err := a.hub.Repositories(ctx, in.ID)
	if err != nil {
		return err
	}
	var unknown []promotion.Repo
	for _, repo := range repos {
		if known[repo.Name] != in.ID && !repo.Archived {
			unknown = append(unknown, repo.Name)
		}
	}
	holding, err := a.hub.Holding(ctx, in.ID, unknown, config.PipelinePath)
	if err != nil {
		return err
	}
	for _, repo := range holding {
		rec, err := a.readPipeline(ctx, in.ID, repo)
		if err != nil {
			return err
		}
		if err := a.store.Update(ctx, inOrder([]record{rec})); err != nil {
			return err
		}
		zerolog.Ctx(ctx).Info().Str(keyRepo, string(repo)).Msg("pipeline discovered")
	}
	a.undecided.notify()
	a.overdue.notify()
	return nil
}

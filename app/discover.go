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

// discovery is the clock that has pipelines looked for that no webhook has told of.
const discovery = "discovery"

// discoverNext looks for pipelines when it is time to.
func (a *App) discoverNext(ctx context.Context) (did bool, next time.Time, err error) {
	return a.onTime(ctx, discovery, a.pipelines.resync, a.discover)
}

// discover reads the pipeline files of every repository that holds one and is not known by its name: it is new, or has been
// renamed. What is known is looked at by its resync.
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
	a.undecided.ring()
	a.overdue.ring()
	return nil
}

// onTime does what a clock of the server is for when it is due, and winds it: the next time comes an interval after this
// one began. What fails is tried again with more and more patience.
func (a *App) onTime(ctx context.Context, clock string, every time.Duration, do func(context.Context) error) (did bool, next time.Time, err error) {
	var c *store.Clock
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		c, next, err = tx.Clocks.ClaimClock(clock, longLease)
		return err
	})
	if err != nil || c == nil {
		return false, next, err
	}
	began := a.clock()
	limited, cancel := context.WithTimeout(ctx, longLease)
	defer cancel()
	failed := do(limited)
	if ctx.Err() != nil {
		return false, time.Time{}, nil // we are stopping; the next start takes it up
	}
	return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error {
		if failed == nil {
			return tx.Clocks.ClockDone(clock, began, began.Add(every))
		}
		zerolog.Ctx(ctx).Warn().Err(failed).Str("clock", clock).Msg("tried again later")
		return tx.Clocks.ClockFailed(clock, failed.Error(), tx.Now.Add(longPatience(c.Failures, failed)))
	})
}

package resync

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/config"
	"waybill/internal/contain"
	"waybill/promotion"
	"waybill/store"
)

// TakeDiscovery takes a look for pipelines, if one is due.
func (r *Resyncer) TakeDiscovery(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	return r.TakeOnTime(ctx, store.ClockDiscovery, c.For(work.LongLease), r.discovery)
}

// discovery looks for pipelines at the server's resync interval.
func (r *Resyncer) discovery(ctx context.Context, c *store.Clock) error {
	return r.Every(ctx, c, r.Pipelines.Resync, r.discover)
}

// discoveries is in how many installations at a time pipelines are looked for: others go on while GitHub answers slowly
// about one.
const discoveries = 8

// longestLook is how long pipelines are looked for in one installation at a time: a large one that takes longer leaves
// time to others, and is gone on with when its turn comes again.
const longestLook = work.LongLease / 5

// discover reads the pipeline files of every repository that holds one and is not known by its name: it is new, was
// renamed, or has taken the name of another one. The others are read by their resyncs. An installation that cannot be
// asked keeps no other back, and each look begins with another one: a look that runs out of time leaves out others the
// next time.
func (r *Resyncer) discover(ctx context.Context) error {
	installations, err := r.served(ctx)
	if err != nil {
		return err
	}
	rows, err := r.Rows(ctx)
	if err != nil {
		return err
	}
	known := map[reached]bool{}
	for _, row := range rows {
		known[reached{row.Installation, row.ID, row.Repo}] = true
	}
	var all errgroup.Group
	all.SetLimit(discoveries)
	for _, in := range r.inTurn(installations) {
		all.Go(func() error {
			err := contain.Do(func() error { return r.discoverIn(ctx, in, known) })
			if err != nil {
				err = fmt.Errorf("discover the pipelines of %s: %w", in.Account.Login, err)
			}
			return err
		})
	}
	return all.Wait()
}

// inTurn returns installations in an order that begins with the next one at each resync interval.
func (r *Resyncer) inTurn(all []gh.Installation) []gh.Installation {
	if len(all) == 0 {
		return nil
	}
	first := int(r.Clock().UnixNano()/int64(r.Pipelines.Resync)) % len(all)
	return slices.Concat(all[first:], all[:first])
}

// reached is where a repository is: in an installation, by its id and name.
type reached struct {
	installation, id int64
	name             promotion.Repo
}

// discoverIn looks for pipelines in one installation. A repository that is known from another installation has moved.
func (r *Resyncer) discoverIn(ctx context.Context, in gh.Installation, known map[reached]bool) error {
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	repos, err := r.Hub.Repositories(ctx, in.ID)
	if err != nil {
		return err
	}
	var unknown []promotion.Repo
	at, there := map[promotion.Repo]reached{}, map[reached]bool{}
	for _, repo := range repos {
		one := reached{in.ID, repo.ID, repo.Name}
		at[repo.Name], there[one] = one, !known[one]
		if !known[one] && !repo.Archived {
			unknown = append(unknown, repo.Name)
		}
	}
	r.looked.keep(in.ID, there)
	holding, err := r.Hub.Holding(ctx, in.ID, unknown, config.HomePaths)
	if err != nil {
		return err
	}
	for _, one := range holding {
		if !r.looked.isNews(at[one.Repo], one.Has) {
			continue
		}
		rec, head, err := r.learn.Files.ReadPipeline(ctx, in.ID, one.Repo)
		if err != nil {
			return err
		}
		if err := r.Store.Update(ctx, work.InOrder([]work.Record{rec})); err != nil {
			return err
		}
		if head != "" {
			r.looked.note(at[one.Repo], one.Has)
		}
		zerolog.Ctx(ctx).Info().Str(work.KeyRepo, string(one.Repo)).Msg("pipeline discovered")
	}
	r.WakeOfFacts()
	return nil
}

package resync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/store"
)

// redeliveryPause is the time between two requests for a redelivery: GitHub wants a second between requests that change
// something.
const redeliveryPause = time.Second

// redeliverNext has GitHub redeliver the next missed webhook.
func (r *Resyncer) redeliverNext(ctx context.Context) (did bool, next time.Time, err error) {
	var m *store.Missed
	err = r.Store.Update(ctx, func(tx *store.Tx) error {
		m, next, err = tx.Inbox.ClaimMissed(store.Claim{Lease: work.ShortLease}, redeliveryPause)
		return err
	})
	if err != nil || m == nil {
		return false, next, err
	}
	limited, held, cancel := work.Leased(ctx, m.Lease, work.ShortLease)
	defer cancel()
	rec := r.redeliver(limited, m)
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	return true, time.Time{}, work.UnlessLost(ctx, r.Store.Update(held, rec))
}

// redeliver has GitHub redeliver a missed webhook, and returns how to record that. Its arrival shows in the inbox, or
// in the next sweep.
func (r *Resyncer) redeliver(ctx context.Context, m *store.Missed) work.Record {
	err := r.Store.View(ctx, func(tx *store.Tx) error {
		arrived, err := tx.Inbox.Arrived(m.GUID)
		if err == nil && arrived {
			err = errArrived
		}
		return err
	})
	if err == nil {
		err = r.Hub.Redeliver(ctx, m.Attempt)
	}
	log := zerolog.Ctx(ctx).With().Str(work.KeyDelivery, m.GUID).Str("event", m.Event).Logger()
	switch {
	case errors.Is(err, errArrived):
		return func(tx *store.Tx) error { return tx.Inbox.ForgetMissed(m.GUID) }
	case errors.Is(err, gh.ErrRefused):
		log.Warn().Err(err).Msg("GitHub does not redeliver: its repository is resynced")
		rec, failed := r.giveUp(ctx, []store.Missed{*m})
		if failed == nil {
			return rec
		}
		err = failed
	}
	if err != nil {
		log.Warn().Err(err).Msg("ask for a redelivery")
	} else {
		r.Metrics.Redelivered.Inc()
		log.Info().Int("attempt", m.Tries+1).Msg("redelivery asked for")
	}
	return func(tx *store.Tx) error {
		return tx.Inbox.MissedAskedFor(m, errorText(err), tx.Now.Add(askAgain(m.Tries, err)))
	}
}

// errArrived says that a webhook need not be delivered again.
var errArrived = errors.New("it has arrived")

// askAgain is the delay after a number of requests for a redelivery, before GitHub is asked once more.
func askAgain(tries int, failed error) time.Duration {
	if failed != nil {
		return work.RequestBackoff.After(tries, gh.RetryAfter(failed))
	}
	return work.RedeliveryBackoff.After(tries, 0)
}

// errorText is the text of an error; empty if there is none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// giveUpOld gives up the webhooks that GitHub keeps no longer.
func (r *Resyncer) giveUpOld(ctx context.Context, oldest time.Time) (work.Record, error) {
	var lost []store.Missed
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		lost, err = tx.Inbox.MissedBefore(oldest)
		return err
	})
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	zerolog.Ctx(ctx).Warn().Int("given_up",
		len(lost)).Msg("webhooks that GitHub has forgotten: their repositories are resynced")
	return r.giveUp(ctx, lost)
}

// giveUp has every pipeline resynced that lost webhooks may have been about, and looks for pipelines where none is
// known.
func (r *Resyncer) giveUp(ctx context.Context, lost []store.Missed) (work.Record, error) {
	var all []work.Record
	seen := map[pipelines.Place]bool{}
	for _, m := range lost {
		at := pipelines.Place{Installation: m.Installation, Repository: m.Repository}
		if !seen[at] {
			rec, err := r.resyncAt(ctx, at)
			if err != nil {
				return nil, fmt.Errorf("make up for %s %s: %w", m.Event, m.GUID, err)
			}
			all = append(all, rec)
		}
		seen[at] = true
		all = append(all, forgetMissed([]string{m.GUID}))
	}
	r.Metrics.GivenUp.Add(float64(len(lost)))
	return work.InOrder(all), nil
}

// resyncAt makes the resync of every pipeline due that may have missed an event of a repository. GitHub names the
// repository by its id alone, so a pipeline that takes from other repositories than its own may mean it. If no pipeline
// lives there, the lost webhook may have been about its first pipeline file.
func (r *Resyncer) resyncAt(ctx context.Context, at pipelines.Place) (work.Record, error) {
	ids, lives := r.Pipelines.AffectedBy(at)
	due := func(tx *store.Tx) error { return work.RecordAll(ids, tx.Clocks.AskResync) }
	if lives {
		return due, nil
	}
	found, err := r.findPipelines(ctx, at)
	return work.InOrder([]work.Record{due, found}), err
}

// findPipelines reads the pipeline files of the repository with an id, or of all repositories of an installation.
func (r *Resyncer) findPipelines(ctx context.Context, at pipelines.Place) (work.Record, error) {
	repos, err := r.Hub.Repositories(ctx, at.Installation)
	if errors.Is(err, gh.ErrRefused) {
		return nil, nil // the App is not installed there any more
	}
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, repo := range repos {
		if at.Repository != 0 && repo.ID != at.Repository {
			continue
		}
		rec, err := r.learn.Files.ReadPipeline(ctx, at.Installation, repo.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

package resync

import (
	"context"
	"errors"
	"maps"
	"slices"
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

// takeMissed takes the next missed webhook, which GitHub is to redeliver.
func (r *Resyncer) takeMissed(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	if due, next, err := r.Store.Due(ctx, store.ToRedeliver); err != nil || !due {
		return nil, next, err
	}
	var m *store.Missed
	err = r.Store.Update(ctx, func(tx *store.Tx) error {
		m, next, err = tx.Inbox.ClaimMissed(c.For(work.ShortLease), redeliveryPause)
		return err
	})
	if err != nil || m == nil {
		return nil, next, err
	}
	return func(ctx context.Context) error {
		limited, held, cancel := work.Leased(ctx, m.Lease, work.ShortLease)
		defer cancel()
		rec := r.redeliver(limited, m)
		if ctx.Err() != nil {
			return nil
		}
		return work.UnlessLost(ctx, r.Store.Update(held, rec))
	}, time.Time{}, nil
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
		if err := r.Pipelines.Follow(ctx, r.Store); err != nil {
			return func(*store.Tx) error { return err }
		}
		return r.giveUp([]store.Missed{*m})
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
	return r.giveUp(lost), nil
}

// giveUp has every pipeline resynced that lost webhooks may have been about. GitHub names a repository by its id alone,
// so a pipeline that takes from other repositories than its own may be meant. If no pipeline lives in it, the webhook
// may have been about its first pipeline file: giveUp has pipelines looked for.
func (r *Resyncer) giveUp(lost []store.Missed) work.Record {
	ids, known := r.affected(lost)
	r.Metrics.GivenUp.Add(float64(len(lost)))
	return func(tx *store.Tx) error {
		err := work.RecordAll(ids, tx.Clocks.AskResync)
		if err == nil && !known {
			err = tx.Clocks.AskDiscovery()
		}
		if err != nil {
			return err
		}
		return work.RecordAll(lost, func(m store.Missed) error { return tx.Inbox.ForgetMissed(m.GUID) })
	}
}

// affected returns the pipelines that missed webhooks may be about, and whether one lives in each of the repositories.
func (r *Resyncer) affected(missed []store.Missed) (ids []int64, known bool) {
	all := map[int64]bool{}
	known = true
	for _, m := range missed {
		some, lives := r.Pipelines.AffectedBy(pipelines.Place{Installation: m.Installation, Repository: m.Repository})
		known = known && lives
		for _, id := range some {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), known
}
